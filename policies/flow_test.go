package policies

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// decodeFlow fills a settings struct from the YAML flow form of examples and scripts, such as
// {ratio: 10%, window: 10s}. It is strict, and as small as this package's settings allow: no
// quotes, and nothing nested but a list of words. The product decodes files in model/load.
func decodeFlow(text string, settings any) error {
	inner, ok := strings.CutPrefix(text, "{")
	if inner, ok2 := strings.CutSuffix(inner, "}"); !ok || !ok2 {
		return fmt.Errorf("%q is not in braces", text)
	} else if inner == "" {
		return nil
	} else {
		text = inner
	}
	for _, pair := range splitPairs(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), ": ")
		if !ok {
			return fmt.Errorf("%q is no `name: value`", pair)
		}
		field, ok := fieldNamed(reflect.ValueOf(settings).Elem(), name)
		if !ok {
			return fmt.Errorf("no field %q", name)
		}
		if err := decodeValue(value, field); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// splitPairs cuts at the commas that stand in no brackets.
func splitPairs(text string) (pairs []string) {
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				pairs, from = append(pairs, text[from:i]), i+1
			}
		}
	}
	return append(pairs, text[from:])
}

func fieldNamed(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == name {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func decodeValue(text string, v reflect.Value) error {
	switch p := v.Addr().Interface().(type) {
	case *sim.Time:
		if text == "none" {
			*p = sim.Never
			return nil
		}
		d, err := time.ParseDuration(text)
		*p = sim.Time(d)
		return err
	case *sim.Dist:
		return assign(p, text, sim.ParseDist)
	case *unit.Rate:
		return assign(p, text, unit.ParseRate)
	case *unit.Ratio:
		return assign(p, text, unit.ParseRatio)
	case *unit.Count:
		return assign(p, text, unit.ParseCount)
	case *int:
		return assign(p, text, strconv.Atoi)
	case *bool:
		return assign(p, text, strconv.ParseBool)
	case *float64:
		n, err := strconv.ParseFloat(text, 64)
		*p = n
		return err
	case *string:
		*p = text
		return nil
	case *[]string:
		words, err := decodeList(text)
		*p = words
		return err
	case *[]int:
		words, err := decodeList(text)
		*p = []int{}
		for _, word := range words {
			n, bad := strconv.Atoi(word)
			*p, err = append(*p, n), errors.Join(err, bad)
		}
		return err
	}
	return fmt.Errorf("settings of type %s cannot be read", v.Type())
}

func decodeList(text string) ([]string, error) {
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	if len(inner)+2 != len(text) {
		return nil, fmt.Errorf("%q is no list in brackets", text)
	}
	words := []string{}
	for _, word := range strings.Split(inner, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words, nil
}

func assign[T any](p *T, text string, parse func(string) (T, error)) error {
	x, err := parse(text)
	if err == nil {
		*p = x
	}
	return err
}

// encodeFlow writes settings as decodeFlow reads them.
func encodeFlow(k *Kind, settings any) string {
	v := reflect.ValueOf(settings).Elem()
	var pairs []string
	for i, f := range k.Fields() {
		x := v.Field(i).Interface()
		switch value := x.(type) {
		case sim.Time:
			x = word(value == sim.Never, "none", time.Duration(value).String())
		case []string, []int:
			x = Written(value)
		}
		pairs = append(pairs, fmt.Sprintf("%s: %v", f.Name, x))
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}
