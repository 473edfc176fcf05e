package sweep

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// StoreFile is where a directory of results keeps its replications, one JSON object in a line.
const StoreFile = "replications.jsonl"

// Store keeps replications in a file, each as soon as it is finished: a sweep that is stopped, by
// Ctrl-C or by a power cut, goes on where it was.
type Store struct {
	file *os.File
}

// ReadStore reads the replications of a directory; none when there are none. A last line that was
// not finished is left out. Two that say different things of one replication are an error.
func ReadStore(dir string, into map[string]Sample) error {
	name := filepath.Join(dir, StoreFile)
	file, err := os.Open(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read replications: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<26)
	for n := 1; lines.Scan(); n++ {
		var s Sample
		if json.Unmarshal(lines.Bytes(), &s) != nil || s.Key == "" {
			continue
		}
		if err := Add(into, s); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	return lines.Err()
}

// Add adds a replication to others, of which it may be one.
func Add(into map[string]Sample, s Sample) error {
	if other, ok := into[s.Key]; ok && !same(s, other) {
		return fmt.Errorf("replication %s was run twice with different results: the programs or the "+
			"machines differ, and none of the results can be trusted", s.Key)
	}
	into[s.Key] = s
	return nil
}

func same(a, b Sample) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// OpenStore opens a directory's file to be added to.
func OpenStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the directory of results: %w", err)
	}
	name := filepath.Join(dir, StoreFile)
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("keep replications: %w", err)
	}
	// Whoever was killed may have left half a line, which must not swallow the next.
	if info, err := file.Stat(); err == nil && info.Size() > 0 {
		last := make([]byte, 1)
		if _, err := file.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			if _, err := file.WriteString("\n"); err != nil {
				return nil, fmt.Errorf("keep replications: %w", err)
			}
		}
	}
	return &Store{file: file}, nil
}

// Keep adds a replication.
func (s *Store) Keep(sample Sample) error {
	line, err := json.Marshal(sample)
	if err == nil {
		_, err = s.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep replications: %w", err)
	}
	return nil
}

// Close closes the file.
func (s *Store) Close() error { return s.file.Close() }
