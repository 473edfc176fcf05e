package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// output is one file of a directory of results.
type output struct {
	name  string
	write func(io.Writer) error
}

// writeDir writes files into a directory, making it when it is missing. Each file is written under
// another name first and renamed when it is complete: a reader never sees half of one, and a run
// that fails leaves what was there before.
func writeDir(dir string, files []output) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the directory of results: %w", err)
	}
	temporary := make([]string, 0, len(files))
	defer func() {
		for _, name := range temporary {
			// Gone already when it was renamed; what is left over belongs to a failed run.
			_ = os.Remove(name)
		}
	}()
	for _, f := range files {
		name, err := writeTemporary(dir, f)
		if name != "" {
			temporary = append(temporary, name)
		}
		if err != nil {
			return err
		}
	}
	for i, f := range files {
		if err := os.Rename(temporary[i], filepath.Join(dir, f.name)); err != nil {
			return fmt.Errorf("write %s: %w", f.name, err)
		}
	}
	return nil
}

// writeTemporary writes one file under a name of its own and returns it.
func writeTemporary(dir string, f output) (string, error) {
	file, err := os.CreateTemp(dir, "."+f.name+".*")
	if err != nil {
		return "", fmt.Errorf("write %s: %w", f.name, err)
	}
	err = f.write(file)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return file.Name(), fmt.Errorf("write %s: %w", f.name, err)
	}
	return file.Name(), nil
}

// writeFile writes one file the same way.
func writeFile(name string, write func(io.Writer) error) error {
	return writeDir(filepath.Dir(name), []output{{filepath.Base(name), write}})
}
