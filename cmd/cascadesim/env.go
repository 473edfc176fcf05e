package main

import (
	"io"
	"io/fs"
	"os"

	"golang.org/x/term"
)

// Env is what a command may touch: the three streams, files, and what the terminal can show.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Getenv reads the environment.
	Getenv func(string) string
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

// width is how wide the terminal behind a stream is; 0 when it is none.
func width(stream any) int {
	f := terminal(stream)
	if f == nil {
		return 0
	}
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}
