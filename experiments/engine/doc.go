// Package engine runs the replications of a sweep on many machines, by NATS JetStream.
//
//  1. The coordinator packs the experiment and the files that it names into a bundle and stores it
//     under its hash. Each replication that the sweep wants becomes a message in a work queue.
//  2. Workers take messages, compile what they are about from the bundle, simulate, store what was
//     read in a bucket of the sweep, and only then acknowledge. While they simulate they say so;
//     the message of a worker that says nothing is given to another.
//  3. The first result of a replication stays. A second one, of a worker that was thought dead, is
//     compared with it: if a byte differs the sweep stops, since nothing can be trusted then.
//  4. The coordinator watches the bucket. When nothing is left in the queue and results are missing
//     it offers those again. One that was killed and is started again finds what was done.
//
// A result does not depend on who ran it: the bytes are those of a sweep on one machine. The
// embedded server listens on this machine alone unless it is told otherwise, and then wants a
// token.
package engine
