package load

import (
	"reflect"
	"slices"
	"strings"
)

// experimentFields tell an experiment from a scenario.
var experimentFields = []string{
	"question", "cases", "axes", "baseline", "runs", "objectives", "constraints", "sensitivity",
	"recommend",
}

// laterWords are words of fields that this version does not know, by the field's own words.
var laterWords = map[string][]string{
	"fifo|lifo|priority|adaptive_lifo|drop_oldest|edf|codel|ps": {
		"fair", "sharing", "processor_sharing", "random"},
	"round_robin|random|least_request|least_connections|hash|local": {"ring_hash", "maglev",
		"peak_ewma", "subset", "weighted"},
	"poisson|constant|burst|mmpp|file": {"trace"},
}

func later(record reflect.Type, name string) string {
	if record == reflect.TypeFor[scenarioForm]() && slices.Contains(experimentFields, name) {
		return "experiments; this is read as a scenario"
	}
	return ""
}

func laterWord(f *field, word string) string {
	if slices.Contains(laterWords[strings.Join(f.enum, "|")], word) {
		return word
	}
	return ""
}
