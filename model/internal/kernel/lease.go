package kernel

// lease starts the clock of an attempt whose caller gives it a time from when its work begins, as
// a queue that delivers a message again when it has not been answered for. While another clock of
// its caller runs already, that one counts.
func (w *world) lease(a *attempt) {
	if a.call == nil || a.timer != 0 {
		return
	}
	a.timer = w.arm(&a.edge.lease, a.edge.live.lease, evTimeout, a.id)
}
