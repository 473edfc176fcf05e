// Package early readies memory for a start of the program, and does nothing else. It has an init
// and no names. Packages set themselves up in the order of their paths as far as what they import
// is ready, so that its turn comes before most libraries; main imports it for that alone.
//
// What holds: memory is taken only where somebody writes to it, a user's GOGC is left as it is, and
// a tenth of a second after the start collections come as they ever did.
package early
