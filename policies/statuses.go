package policies

// statusSet is a set of statuses from 0 to 639, one bit each.
type statusSet [10]uint64

func newStatusSet(list []int) (s statusSet) {
	for _, status := range list {
		s[status>>6] |= 1 << (status & 63)
	}
	return s
}

func (s *statusSet) has(status int) bool {
	u := uint(status)
	return u < 640 && s[u>>6]>>(u&63)&1 != 0
}
