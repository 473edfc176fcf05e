package main

import (
	"io"
	"io/fs"
	"os"
	"strconv"

	"cascadesim/experiments"

	"golang.org/x/term"
)

// Env is what a command may touch: the three streams, files, and what the terminal can show.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Getenv reads the environment.
	Getenv func(string) string
	// Watch is told how far a batch is, beside the bar; nil: nobody is. Tests interrupt by it.
	Watch func(experiments.Progress)
}

// system is the environment of the program itself.
func system() Env {
	return Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv}
}

// exists says whether a name is that of a file.
func exists(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&fs.ModeType == 0
}

// terminal is the file behind a stream when it is a terminal, else nil.
func terminal(stream any) *os.File {
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return f
}

// color says whether a stream may be written to in colour: only on terminals, and never when the
// reader has set NO_COLOR or has a terminal that knows no colours.
func (e Env) color(stream any) bool {
	return terminal(stream) != nil && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}

// width is how wide lines may be: the terminal's width, else what COLUMNS says, else 0.
func (e Env) width(stream any) int {
	if f := terminal(stream); f != nil {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			return w
		}
	}
	w, err := strconv.Atoi(e.Getenv("COLUMNS"))
	if err != nil || w < 40 {
		return 0
	}
	return w
}
