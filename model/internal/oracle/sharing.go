package oracle

import (
	"math/big"
	"slices"

	"cascadesim/sim"
)

// sharer is work on a replica of discipline ps.
type sharer struct {
	*work
	end *big.Rat // of what each has had since the start, in ns: then it is done
}

// common is who shares a replica's slots. Fractions are exact.
type common struct {
	sharers []sharer // in the order in which they came
	had     big.Rat  // what each has had who has been there since the start
	at      sim.Time // until when
	timer   *event
}

// hair is 2^-20 ns: ends are rounded to it, and who lacks no more is done.
var hair = big.NewRat(1, 1<<20)

func (r *replica) shares() bool { return r.Discipline.String() == "ps" }

// speed is how much each has of a slot.
func (r *replica) speed() *big.Rat {
	n, slots := len(r.common.sharers), r.slotCount()
	if slots < 0 || n <= slots {
		return big.NewRat(1, 1)
	}
	return big.NewRat(int64(slots), int64(n))
}

// progress gives all who share what they have had since; it comes before their speed changes.
func (r *replica) progress() {
	p := &r.common
	dt := r.w.now - p.at
	p.at = r.w.now
	if len(p.sharers) == 0 || r.frozen() {
		return
	}
	had := new(big.Rat).Mul(r.speed(), new(big.Rat).SetInt64(int64(dt)))
	p.had.Add(&p.had, had)
}

// shareOut begins work.
func (r *replica) shareOut(x *work) {
	r.progress()
	p := &r.common
	end := new(big.Rat).Add(&p.had, new(big.Rat).SetInt64(int64(x.left)))
	hairs := end.Quo(end, hair)
	hairs.Add(hairs, big.NewRat(1, 2))
	p.sharers = append(p.sharers, sharer{x, new(big.Rat).Mul(floor(hairs), hair)})
	r.reshare()
}

func floor(x *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(x.Num(), x.Denom()))
}

// reshare sets the timer for who is done first.
func (r *replica) reshare() {
	p := &r.common
	p.timer.cancel()
	p.timer = nil
	if len(p.sharers) == 0 || r.frozen() || r.speed().Sign() == 0 {
		return
	}
	first := p.sharers[0]
	for _, s := range p.sharers {
		if s.end.Cmp(first.end) < 0 {
			first = s
		}
	}
	wait := new(big.Rat).Quo(r.lacks(first), r.speed())
	t := new(big.Int).Neg(floor(wait.Neg(wait)).Num())
	if !t.IsInt64() || t.Int64() > int64(sim.MaxTime-r.w.now) {
		return
	}
	p.timer = r.w.at(r.w.now+sim.Time(t.Int64()), func() {
		r.stopSharing(func(s sharer) bool { return s.work == first.work })
		first.a.worked += first.whole
		first.done()
	})
}

// lacks is what somebody has still to get, less a hair; at least 0.
func (r *replica) lacks(s sharer) *big.Rat {
	x := new(big.Rat).Sub(s.end, &r.common.had)
	if x.Sub(x, hair); x.Sign() < 0 {
		return new(big.Rat)
	}
	return x
}

// stopSharing takes some of the sharers out.
func (r *replica) stopSharing(who func(s sharer) bool) {
	if !slices.ContainsFunc(r.common.sharers, who) {
		return
	}
	r.progress()
	r.common.sharers = slices.DeleteFunc(r.common.sharers, who)
	r.reshare()
}

// hadOf is how much the work of an attempt has had, in whole ns for each piece of it.
func (r *replica) hadOf(a *attempt) sim.Time {
	t := sim.Time(0)
	for _, s := range r.common.sharers {
		if s.a == a {
			r.progress()
			lack := r.lacks(s)
			t += s.whole + sim.Time(floor(lack.Neg(lack)).Num().Int64())
		}
	}
	return t
}

// inUse is how many slots are.
func (r *replica) inUse() int {
	if !r.shares() {
		return len(r.slots)
	}
	n := len(r.common.sharers)
	if slots := r.slotCount(); slots >= 0 {
		n = min(n, slots)
	}
	return n
}
