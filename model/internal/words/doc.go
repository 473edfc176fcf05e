// Package words finds what was probably meant by a misspelt name.
//
//  1. Nearest gets the word and the names that there are.
//  2. It answers with a hint that ends a sentence: the nearest name, or all of them when they are
//     few and none is near, or nothing.
//
// And lists names for a sentence. The same words give the same hint; long texts are no names and
// cost no time.
package words
