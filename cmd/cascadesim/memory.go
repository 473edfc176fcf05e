package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// peakMemory is the most memory that the process has held so far, in bytes, as the kernel counts
// it; 0 where it does not say.
func peakMemory() uint64 {
	status, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer status.Close()
	lines := bufio.NewScanner(status)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kilobytes, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil {
				return 0
			}
			return kilobytes * 1024
		}
	}
	return 0
}
