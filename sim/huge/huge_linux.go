package huge

import (
	"syscall"
	"unsafe"
)

// Prefer asks for large pages under memory, of which there is at least one value, and under its
// ends, where the system gives them only on request. It is a wish; that it is refused, or granted
// to a neighbour too, changes no result.
func Prefer[T any](memory []T) {
	const page = 2 << 20
	from := uintptr(unsafe.Pointer(&memory[0])) &^ (page - 1)
	to := uintptr(unsafe.Pointer(&memory[len(memory)-1])) + unsafe.Sizeof(memory[0])
	to = (to + page - 1) &^ (page - 1)
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
