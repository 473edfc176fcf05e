package stats

// Warning is a doubt about a result. It is no error: the numbers are as computed, but a reader
// should know this before using them.
type Warning struct {
	Code  string // short and stable, for filters: "few-samples"
	Where string // the path or name it concerns, such as "tiers.db"; empty for the whole run
	Text  string // one sentence for people
}

// String writes the warning as one line.
func (w Warning) String() string {
	if w.Where == "" {
		return w.Code + ": " + w.Text
	}
	return w.Code + " at " + w.Where + ": " + w.Text
}
