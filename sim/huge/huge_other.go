//go:build !linux

package huge

// Prefer does nothing where large pages are not asked for in this way.
func Prefer[T any](memory []T) {}
