package main

import (
	"io/fs"

	"cascadesim/model/load"
)

// readSource is a file as it was written.
func readSource(src load.Source) ([]byte, error) {
	return fs.ReadFile(src.FS, src.Name)
}
