package model

import (
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
)

// failedWord stands for every way to end but ok.
const failedWord = "failed"

// checkOuter checks a loop around requests.
func (n *names) checkOuter(path string, o *Outer) {
	n.limit(path+".times", o.Times, 1)
	if o.Times > maxTimes {
		n.errorf(path+".times", "%d; expected at most %d, or unlimited", o.Times, maxTimes)
	}
	if len(o.On) == 0 {
		n.errorf(path+".on", "expected at least one way to end").hint("for example [failed]")
	}
	words := append([]string{failedWord}, classWords[1:]...)
	for _, w := range o.On {
		if !slices.Contains(words, w) {
			n.errorf(path+".on", "%q is no way in which a request fails", w).hint(nearest(w, words))
		}
	}
	if o.Wait.IsZero() && o.Times < 0 {
		n.errorf(path+".wait", "0, and no limit to the repeats: where failures take no time, time would "+
			"stand still").hint("say how long it takes, such as wait: exp 5s, or limit the times")
	}
}

// outer compiles a loop around requests.
func outer(o *Outer) *kernel.Outer {
	if o == nil {
		return nil
	}
	k := &kernel.Outer{Wait: o.Wait, Times: o.Times}
	for class := policies.OK + 1; class < policies.Classes; class++ {
		k.On[class] = slices.Contains(o.On, failedWord) || slices.Contains(o.On, class.String())
	}
	return k
}
