//go:build !linux

package kernel

// preferHuge does nothing where large pages are not asked for in this way.
func preferHuge[T any](records []T) {}
