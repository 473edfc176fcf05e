// Package number reads and writes decimal numbers exactly, as people write them: 79.2k, 1.5s.
//
//  1. Split parts a text into its leading decimal, as an exact fraction, and the rest.
//  2. Nanos adds up the parts of a duration (8h47m) into an exact number of nanoseconds.
//  3. Shift and FormatNanos go back: the shortest decimal that reads as the same float.
//
// Nothing is rounded on the way in: the caller rounds once, at the end, and knows by how much.
// Signs, exponents, blanks and digit separators are not numbers here.
package number
