package kernel

import (
	"syscall"
	"unsafe"
)

// preferHuge asks for large pages of memory under records, and at their ends, where the system
// gives them only on request: in a storm of hundreds of megabytes nearly each look at a record is
// for a small page whose place the processor does not remember. It is a wish; that it is refused,
// or granted to a neighbour too, changes no result.
func preferHuge[T any](records []T) {
	const huge = 2 << 20
	from := uintptr(unsafe.Pointer(&records[0])) &^ (huge - 1)
	to := uintptr(unsafe.Pointer(&records[len(records)-1])) + unsafe.Sizeof(records[0])
	to = (to + huge - 1) &^ (huge - 1)
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
