// Package huge asks the system for large pages of memory. With them the processor remembers where
// hundreds of megabytes are, and memory that is written to for the first time takes one fault for
// each 2 MB and not 512. Whoever takes much memory at once hands it to Prefer before it writes
// there; nothing comes back, and no result depends on whether the wish was granted.
package huge
