package load

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Schema is the JSON Schema (draft 2020-12) of topologies and scenarios, short forms included, for
// editors. It is made from the same types and tags as the decoder, which is stricter: it also
// knows what hangs together. Nil policies are the built-in ones.
func Schema(registry *policies.Registry) []byte {
	g := newGrammar(registry)
	return schemaOf(g, "cascadesim topology and scenario",
		"A topology, a scenario that names one, or both in one file.", g.scenario, g.topology)
}

// ExperimentSchema is the JSON Schema of experiments. Their objectives and constraints are checks,
// whose fields the decoder knows by the case that they are asked of.
func ExperimentSchema() []byte {
	g := builtins()
	return schemaOf(g, "cascadesim experiment", "A question and the runs that answer it.",
		g.experiment)
}

func schemaOf(g *grammar, title, doc string, sections ...*shape) []byte {
	s := &schemer{g: g, defs: object{}}
	properties := object{}
	for _, sh := range sections {
		for _, f := range sh.fields {
			properties[f.name] = s.field(f)
		}
	}
	root := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, "description": doc,
	}
	for k, v := range closed(properties) {
		root[k] = v
	}
	root["$defs"] = s.defs
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("load: the schema cannot be written: %v", err))
	}
	return append(text, '\n')
}

type object = map[string]any

// schemer makes a definition for each record, once.
type schemer struct {
	g    *grammar
	defs object
}

// closed is an object with these properties, free keys that begin with x-, and no others.
func closed(properties object) object {
	return object{
		"type": "object", "properties": properties,
		"patternProperties":    object{"^x-": true},
		"additionalProperties": false,
	}
}

func either(schemas ...any) object { return object{"anyOf": schemas} }

func pattern(p string) object { return object{"type": "string", "pattern": "^(" + p + ")$"} }

// field is the schema of a field with what editors show beside it.
func (s *schemer) field(f *field) object {
	out := object{}
	for k, v := range s.value(f) {
		out[k] = v
	}
	out["description"] = f.doc
	if f.def != "" && f.def != "0" && f.shape.form == leafForm {
		out["default"] = f.def
	}
	return out
}

func (s *schemer) value(f *field) object {
	sh := f.shape
	var v object
	switch {
	case len(f.enum) > 0 && sh.form == listForm:
		v = object{"type": "array", "items": wordSchema(f.enum)}
	case len(f.enum) > 0:
		v = wordSchema(f.enum)
	case sh.form == leafForm:
		v = leafSchema(f)
	default:
		v = s.shape(sh)
	}
	if short := s.short(sh); len(short) > 0 {
		v = either(append(short, v)...)
	}
	if sh.optional {
		v = either(v, object{"type": "null"})
	}
	return v
}

// shape is the schema of the long form. Records are definitions, since steps hold steps.
func (s *schemer) shape(sh *shape) object {
	switch sh.form {
	case leafForm:
		return leafSchema(&field{shape: sh})
	case mapForm:
		return object{"type": "object", "additionalProperties": s.entry(sh.elem)}
	case listForm:
		return object{"type": "array", "items": s.entry(sh.elem)}
	case pathsForm:
		return object{"type": "object"}
	case curveForm:
		return object{"type": "object", "minProperties": 1, "additionalProperties": numberSchema}
	}
	name := s.defName(sh)
	if _, done := s.defs[name]; !done {
		s.defs[name] = true // taken, while its own fields are made
		s.defs[name] = s.define(sh)
	}
	return object{"$ref": "#/$defs/" + name}
}

// entry is an entry of a map or list; one without a value is all defaults.
func (s *schemer) entry(sh *shape) object {
	v := s.value(&field{shape: sh})
	if sh.form == recordForm {
		return either(v, object{"type": "null"})
	}
	return v
}

func (s *schemer) defName(sh *shape) string {
	switch {
	case sh.quota:
		return "client-of-" + sh.verb
	case sh.verb != "":
		return "policy-" + sh.verb
	case sh.typ == reflect.TypeFor[model.PolicyUse]() && sh.callee:
		return "admission"
	case sh.typ == reflect.TypeFor[model.PolicyUse]():
		return "stack"
	}
	return strings.TrimSuffix(strings.ToLower(sh.typ.Name()), "form")
}

func (s *schemer) define(sh *shape) object {
	properties := object{}
	switch {
	case sh.typ == reflect.TypeFor[model.PolicyUse]():
		for _, k := range s.g.policies.Kinds() {
			if k.Callee == sh.callee {
				properties[k.Name] = either(object{"type": "null"}, s.shape(s.g.kinds[k.Name]))
			}
		}
		out := closed(properties)
		out["minProperties"], out["maxProperties"] = 1, 1
		return out
	case isRetry(sh):
		return s.retry(sh)
	case sh.typ == reflect.TypeFor[checkForm]():
		properties["hold"] = s.field(&field{doc: "goes with take: {first_above: X} and its like",
			shape: s.g.of(reflect.TypeFor[sim.Time]())})
	}
	for _, f := range sh.fields {
		properties[f.name] = s.field(f)
	}
	if sh.typ == reflect.TypeFor[model.Edge]() {
		properties["from"] = object{"description": "caller, or a list of callers: one edge each",
			"anyOf": []any{textSchema, object{"type": "array", "items": textSchema, "minItems": 1}}}
	}
	return closed(properties)
}

// short are the schemas of a shape's short forms.
func (s *schemer) short(sh *shape) []any {
	if name, ok := soleField[sh.typ]; ok {
		return []any{s.value(sh.field(name))}
	}
	switch sh.typ {
	case reflect.TypeFor[sim.Dist](), reflect.TypeFor[model.Work]():
		return []any{distSchema}
	case reflect.TypeFor[model.Think]():
		return []any{distSchema, s.shape(s.g.of(reflect.TypeFor[sim.Dist]()))}
	case reflect.TypeFor[model.Arrivals]():
		return []any{pattern(`((poisson|constant) +)?` + rateText + `|burst +` + countText)}
	case reflect.TypeFor[model.Replicas]():
		return []any{countSchema, object{"type": "array", "items": textSchema, "uniqueItems": true}}
	case reflect.TypeFor[model.Route]():
		return []any{object{"type": "object", "minProperties": 1,
			"additionalProperties": weightSchema}}
	case reflect.TypeFor[model.Retry]():
		return []any{object{"const": "none"}}
	case reflect.TypeFor[model.Step]():
		return []any{object{"type": "array", "items": s.shape(sh)}}
	case reflect.TypeFor[model.Profile]():
		return []any{textSchema}
	case reflect.TypeFor[takeForm]():
		return []any{object{"enum": takeWords}}
	case reflect.TypeFor[relativeForm]():
		return []any{boundSchema}
	case reflect.TypeFor[checkForm]():
		return []any{textSchema}
	case reflect.TypeFor[replicationsForm]():
		return []any{countSchema}
	case reflect.TypeFor[variantForm]():
		return []any{object{"type": "object", "minProperties": 1,
			"propertyNames": object{"pattern": `\.`}}}
	}
	return nil
}

// The texts of values, as regular expressions.
const (
	decimal    = `[0-9]*\.?[0-9]+`
	lengthText = `0|(` + decimal + `(ns|us|ms|s|m|h|d))+`
	countText  = decimal + `[kM]?`
	rateText   = decimal + `[kM]?/(s|m|h)`
)

var (
	zero         = object{"const": 0}
	textSchema   = object{"type": []string{"string", "number", "boolean"}}
	countSchema  = either(object{"type": "integer", "minimum": 0}, pattern(countText+`|unlimited`))
	numberSchema = either(object{"type": "number", "minimum": 0},
		pattern(decimal+`(%|x|/`+decimal+`)?`))
	weightSchema = either(object{"type": "number", "minimum": 0}, pattern(decimal+`%?`))
	boundSchema  = object{"type": []string{"string", "number"}}
	distSchema   = either(zero, pattern(lengthText+`|none|`+
		`(exp|uniform|normal|lognormal|erlang|pareto) +[^ ].*`))
)

// wordSchema is one of some words. YAML reads some of them, such as 503, as numbers.
func wordSchema(words []string) object {
	var values []any
	for _, w := range words {
		values = append(values, w)
		if number, err := strconv.Atoi(w); err == nil {
			values = append(values, number)
		}
	}
	return object{"enum": values}
}

// leafSchema is the schema of a single value.
func leafSchema(f *field) object {
	switch f.shape.typ {
	case reflect.TypeFor[sim.Time]():
		return either(zero, pattern(lengthText+`|none`))
	case reflect.TypeFor[unit.Rate]():
		return either(zero, pattern(rateText))
	case reflect.TypeFor[unit.Share]():
		return either(object{"type": "number", "minimum": 0, "maximum": 1}, pattern(decimal+`%?`))
	case reflect.TypeFor[unit.Ratio](), reflect.TypeFor[model.Weight]():
		return weightSchema
	case reflect.TypeFor[unit.Factor]():
		return pattern(decimal + `x`)
	case reflect.TypeFor[unit.Count]():
		return countSchema
	case reflect.TypeFor[unit.CPU]():
		return either(object{"type": "number", "minimum": 0}, pattern(decimal+`m?`))
	case reflect.TypeFor[unit.Size]():
		return either(zero, pattern(decimal+`([kMGT]|[KMGT]i)?B`))
	case reflect.TypeFor[model.Setting]():
		return pattern(`\+(` + lengthText + `)|` + decimal + `x`)
	case reflect.TypeFor[boundText](), reflect.TypeFor[timeText](), reflect.TypeFor[model.Bound]():
		return boundSchema
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "pattern": `^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}`}
	}
	switch f.shape.typ.Kind() {
	case reflect.Int:
		if f.signed {
			return either(object{"type": "integer"}, pattern(`-?`+countText+`|unlimited`))
		}
		return countSchema
	case reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	case reflect.Float64:
		return numberSchema
	case reflect.Bool:
		return object{"type": "boolean"}
	}
	return textSchema
}
