package policies

import "strings"

// wordLists are the lists of words that are too long for a line, under the names by which tags call
// them.
var wordLists = map[string][]string{
	"grpc":           grpcNames[1:], // the codes of gRPC but OK
	"envoy_retry_on": envoyRetryOn,
	"envoy_window":   {"deque", "timers", "tower"},
	"envoy_backoff":  {"as_retry", "in_both", "in_neither"},
}

// Words are those that an enum tag allows. It lists them with | between, or names a list of this
// package that would be too long for a line: @grpc.
func Words(tag string) []string {
	name, long := strings.CutPrefix(tag, "@")
	if !long {
		return strings.Split(tag, "|")
	}
	list, ok := wordLists[name]
	if !ok {
		panic("policies: no list of words is named " + name)
	}
	return append([]string(nil), list...)
}
