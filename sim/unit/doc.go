// Package unit holds the kinds of value that people write in files: 250ms, 79.2k, 7k/s, 20%, 10x,
// 200m, 2GiB.
//
//  1. A parser per kind (ParseRate, ParseShare, ...) reads the written form with exact decimals
//     and rounds once: 79.2k is 79200, and 6157.6/s is the float nearest to 6157.6.
//  2. The value travels as a type of its own, so that a share is never taken for a ratio.
//  3. A formatter per kind, also its String, gives back a short written form.
//  4. ParseChange reads what a timeline does to a value in force (1.5x, +3s, -10, or a new
//     value), and the methods of Change apply it.
//
// Parsing what a formatter wrote gives the same value, bit for bit. An error names the text, what
// was expected and, where it can be guessed, what was meant; it never names a file or a line,
// which the caller knows.
package unit
