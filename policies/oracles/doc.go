// Package oracles holds tests that drive the genuine implementations which policies imitate, and
// compare decision by decision. It is a module of its own, so that the program depends on none of
// them. Each product has a folder.
package oracles
