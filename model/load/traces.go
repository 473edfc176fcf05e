package load

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"sync"

	"cascadesim/model"
	"cascadesim/model/internal/words"
)

// origin is where a file of the document was found, which files that it names are beside.
type origin struct {
	fsys fs.FS
	dir  string
}

// traces are the files of arrivals that a document names. Each is read once, whoever builds the
// document how often.
type traces struct {
	origins map[string]origin // by name as messages show it; empty: that of the document
	src     Source
	mu      sync.Mutex
	loaded  map[traceKey]loadedTrace
}

func newTraces(src Source) *traces {
	return &traces{
		origins: map[string]origin{"": {src.FS, path.Dir(src.Name)}}, src: src,
		loaded: map[traceKey]loadedTrace{},
	}
}

// shown is a file's name as messages show it.
func (t *traces) shown(fsys fs.FS, name string) string {
	if sameFS(fsys, t.src.FS) {
		return t.src.shown(name)
	}
	return name
}

type traceKey struct{ file, epoch string }

type loadedTrace struct {
	*trace
	err error
}

// load reads a file once; its times depend on the clock's epoch alone.
func (t *traces) load(from fs.FS, file, shown string, k *clock) (*trace, error) {
	key := traceKey{file: shown}
	if k.hasEpoch {
		key.epoch = k.epoch.String()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	l, ok := t.loaded[key]
	if !ok {
		l.trace, l.err = readTrace(from, file, k)
		t.loaded[key] = l
	}
	return l.trace, l.err
}

// recordings reads the arrivals of clients that come from files.
func (b *builder) recordings(clients model.Map[model.Client]) {
	for i := range clients {
		a := clients[i].Value.Arrivals
		if a == nil || a.File == "" {
			continue
		}
		at := "clients." + clients[i].Name + ".arrivals"
		n := b.tree.topology.get("clients").get(clients[i].Name).get("arrivals")
		file := problem{path: at + ".file", at: n.placeOf("file")}
		t := b.trace(file, a.File)
		if t == nil {
			a.Recording = &model.Recording{} // reported; the rest is judged as if it were there
			continue
		}
		a.Recording = b.ofClass(problem{path: at + ".class", at: n.placeOf("class")}, t, a)
	}
}

// ofClass is what a file holds for a client, which says which class of it is its own.
func (b *builder) ofClass(p problem, t *trace, a *model.Arrivals) *model.Recording {
	r := t.recordings[a.Class]
	switch {
	case t.classed && a.Class == "":
		p.hint = "say class: " + t.classes[0] + ", or class: all"
		b.add(p, "%s has the classes %s", a.File, words.And(t.classes))
	case t.classed && a.Class == "all" && r == nil:
		return t.all()
	case !t.classed && a.Class != "":
		b.add(p, "%s has no column class", a.File)
	case r == nil:
		p.hint = nearest(a.Class, t.classes)
		b.add(p, "%s has no row of class %q", a.File, a.Class)
	default:
		return r
	}
	return &model.Recording{}
}

// trace reads a file of arrivals, or reports why not.
func (b *builder) trace(p problem, name string) *trace {
	from, ok := b.traces.origins[p.at.file]
	if !ok {
		from = b.traces.origins[""]
	}
	file := path.Join(from.dir, name)
	if path.IsAbs(name) || strings.Contains(name, "\\") || !fs.ValidPath(file) {
		p.hint = "put the file into the folder of the scenario, or one below"
		b.add(p, "%q: files are named from the folder of the one that names them, and lie in it or "+
			"below", name)
		return nil
	}
	shown := b.traces.shown(from.fsys, file)
	t, err := b.traces.load(from.fsys, file, shown, b.clock)
	var row *wrongRow
	switch {
	case errors.As(err, &row):
		p.at = place{file: shown, line: row.line, col: 1}
		b.add(p, "%s", row.text)
		return nil
	case err != nil:
		b.add(p, "%q: %v", name, err)
		return nil
	case len(t.classes) == 0:
		b.add(p, "%q has no rows below its first line", name)
		return nil
	}
	return t
}
