package load

import (
	"io"
	"io/fs"
	"path"

	"cascadesim/model"
)

// Beside is a file that a resolved document names and so must lie beside it.
type Beside struct {
	Name string
	from origin
	file string
}

// WriteTo copies the file.
func (b Beside) WriteTo(w io.Writer) (int64, error) {
	f, err := b.from.fsys.Open(b.file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(w, f)
}

// Bundle is the resolved document for a folder of its own, with the files that must lie there too:
// recorded arrivals, under names by client. Of a file that several clients share there is one.
func (d *Document) Bundle(o Options) ([]byte, []Beside, model.Problems) {
	r := &report{}
	r.problems = append(r.problems, d.problems...)
	t := d.apply(r, o)
	var files []Beside
	clients := t.topology.get("clients")
	if clients == nil {
		clients = newMap(place{})
	}
	for _, p := range clients.pairs {
		n := p.value.get("arrivals").get("file")
		if n.absent() || n.kind != scalarNode {
			continue
		}
		from, ok := d.traces.origins[n.at.file]
		if !ok {
			from = d.traces.origins[""]
		}
		file := path.Join(from.dir, n.text)
		if !fs.ValidPath(file) {
			continue // reported when it was built
		}
		name := ""
		for _, f := range files {
			if f.file == file && sameFS(f.from.fsys, from.fsys) {
				name = f.Name
			}
		}
		if name == "" {
			name = "arrivals-" + p.key + ".csv"
			files = append(files, Beside{name, from, file})
		}
		p.value.get("arrivals").put("file", scalar(name, n.at))
	}
	text, problems := d.dump(r, t)
	return text, files, problems
}
