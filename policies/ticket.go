package policies

// A ticket is what a breaker remembers of an attempt that was sent: under which generation of its
// state, so that an answer of an older generation is known for one. A note holds the tickets of a
// call that are out, one for each copy of it that may be under way:
//
//	bits   63..60   59..48   47..36   35..24   23..12   11..0
//	               [n%5=4]  [n%5=3]  [n%5=2]  [n%5=1]  [n%5=0]     each: 1 valid, 11 generation
//
// Five, because gRPC, which sends the most copies of all products here, sends five.
const (
	ticketLanes = 5
	ticketBits  = 12
	ticketMask  = 1<<ticketBits - 1
	ticketValid = 1 << (ticketBits - 1)
)

// lend writes a ticket of a generation for try n.
func lend(note *uint64, n int, generation uint64) {
	shift := n % ticketLanes * ticketBits
	*note &^= ticketMask << shift
	*note |= (ticketValid | generation&(ticketValid-1)) << shift
}

// redeem takes the ticket of try n back, or any that is out when it has none: a gate that stands
// for a whole call lent it to try 1 and hears of the end as that of the last try.
func redeem(note *uint64, n int) (generation uint64, ok bool) {
	if *note == 0 {
		return 0, false
	}
	shift := n % ticketLanes * ticketBits
	for range ticketLanes {
		if t := *note >> shift & ticketMask; t != 0 {
			*note &^= ticketMask << shift
			return t &^ ticketValid, true
		}
		shift = (shift + ticketBits) % (ticketLanes * ticketBits)
	}
	return 0, false
}

// sameGeneration compares the part of a generation that tickets hold. An attempt would have to be
// under way for exactly 2048 generations to be mistaken.
func sameGeneration(ticket, generation uint64) bool {
	return ticket == generation&(ticketValid-1)
}
