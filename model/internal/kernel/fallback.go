package kernel

// A call may have a fallback: steps that follow it in its program and are passed over when it goes
// well. When it fails they are done, and whatever answer comes of it is a lesser one: degraded.
// That mark goes up with ok answers, through every tier, to the request. Policies do not see it: to
// them an answer is an answer.

// fallBack goes on with an attempt whose call has failed for good.
func (w *world) fallBack(a *attempt) {
	w.tierCell(a).Fallbacks++
	a.degraded = true
	a.step++
	w.step(a)
}
