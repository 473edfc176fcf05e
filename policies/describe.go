package policies

// Says is how sure one may be, in words.
func (m Mark) Says() string {
	switch m {
	case FromSource:
		return "read in the product's source"
	case FromDocument:
		return "read in official documents only"
	case Believed:
		return "general knowledge; no source was readable"
	case Definition:
		return "a definition, named after no product"
	}
	return "unknown"
}

// roleWords are the roles that a policy may play, in the order in which they are asked: the word of
// the reference, and what it does.
var roleWords = []struct {
	plays func(Policy) bool
	word  string
	does  string
}{
	{func(p Policy) bool { return p.Condition != nil }, "condition",
		"decides what is tried again"},
	{func(p Policy) bool { return p.Gate != nil }, "gate", "decides which attempts may be sent"},
	{func(p Policy) bool { return p.Pacer != nil }, "pacer",
		"says how long to wait before a retry"},
	{func(p Policy) bool { return p.Placer != nil }, "placer", "says where a retry goes"},
	{func(p Policy) bool { return p.Shaper != nil }, "shaper", "holds attempts back"},
	{func(p Policy) bool { return p.Queuer != nil }, "queuer",
		"lets attempts wait for others to end"},
	{func(p Policy) bool { return p.Hedger != nil }, "hedger", "sends further copies"},
	{func(p Policy) bool { return p.Ejector != nil }, "ejector",
		"takes callees out of the choice"},
	{func(p Policy) bool { return p.Observer != nil || p.Starter != nil || p.Closer != nil },
		"observer", "learns from what happens"},
	{func(p Policy) bool { return p.Admission != nil }, "admission",
		"decides on the callee's side who may enter"},
	{func(p Policy) bool { return p.Sizer != nil }, "sizer",
		"says how many slots a replica has"},
	{func(p Policy) bool { return p.Turner != nil }, "turner",
		"judges on the callee's side whose turn has come"},
	{func(p Policy) bool { return p.Finisher != nil }, "finisher",
		"learns on the callee's side how attempts left"},
	{func(p Policy) bool { return p.Adviser != nil }, "adviser", "puts a number on answers"},
	{func(p Policy) bool { return p.Answerer != nil }, "answerer", "says what a rejection answers"},
}

// Roles are the roles that a policy plays with its defaults, as the reference calls them.
func (k *Kind) Roles() []string {
	var out []string
	p := k.New(nil)
	for _, r := range roleWords {
		if r.plays(p) {
			out = append(out, r.word)
		}
	}
	return out
}

// Does are the same roles as half sentences.
func (k *Kind) Does() []string {
	var out []string
	p := k.New(nil)
	for _, r := range roleWords {
		if r.plays(p) {
			out = append(out, r.does)
		}
	}
	return out
}
