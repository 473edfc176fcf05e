package model

import (
	"strconv"

	"cascadesim/model/internal/kernel"
)

// Priority is which priority travels over an edge. It is made from that of whoever makes the call,
// which has come all the way from the client: same, a number from 0 to 7, or -1 for one less.
type Priority struct {
	Call  string `yaml:"call" default:"same" doc:"of its calls: same as what the caller serves, a number from 0 to 7, or -1 for one less (not below 0)"`
	Retry string `yaml:"retry" default:"same" doc:"of tries after the first, and copies: same as their call, a number, or -1 for one less, so that what is shed first is what is tried again"`
}

// checkPriority checks how an edge changes priorities.
func (n *names) checkPriority(path string, p Priority) {
	for _, part := range []struct{ field, word string }{{"call", p.Call}, {"retry", p.Retry}} {
		if _, ok := regrade(part.word); !ok {
			n.errorf(path+"."+part.field, "%q; expected same, a priority from 0 to %d, or -1 for one "+
				"less", part.word, kernel.Priorities-1)
		}
	}
}

// regrade reads what becomes of each priority; nil: it stays the same.
func regrade(word string) (*kernel.Regrade, bool) {
	if word == "" || word == "same" {
		return nil, true
	}
	const top = kernel.Priorities - 1
	by, err := strconv.Atoi(word)
	if err != nil || word[0] == '+' || by < -top || by > top {
		return nil, false
	}
	var r kernel.Regrade
	for i := range r {
		r[i] = uint8(by)
		if word[0] == '-' {
			r[i] = uint8(max(0, i+by))
		}
	}
	return &r, true
}
