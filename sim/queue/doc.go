// Package queue holds the waiting lines of one replication.
//
// A line is passive: it never schedules anything, draws nothing and does not
// know the time. Whoever owns a station asks it three things:
//
//  1. Push an arrival, which a full line refuses.
//  2. Pop the next one by the line's discipline when a server is free.
//  3. Remove one that stopped waiting.
//
// The lines of a replication share one Links, an array indexed by id: a thing
// waits in one line at most, so its place there needs two numbers and a line
// only its ends. Every operation takes constant time, whatever waits (in a line by
// deadlines the logarithm of how many wait), and allocates nothing once Links
// has grown to the largest id and such a line to its greatest length.
package queue
