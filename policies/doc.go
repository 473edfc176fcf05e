// Package policies decides: may this attempt go, how long to wait before a retry, may this attempt
// enter. A policy gets values and answers with values; time and chance are arguments, and nothing
// of the world can be reached from here.
//
// # How a decision passes through
//
//  1. A file names a policy and its settings. Registry.Lookup finds the Kind; Kind.Settings is a
//     copy of its defaults, which a decoder fills by the yaml tags.
//  2. Kind.Check reports every impossible value, CheckOrder every mistake in the order of a stack.
//     Kind.Scaled divides what a run at a smaller scale must divide, and Kind.Rounded says what
//     rounding did.
//  3. Kind.Maker works out once what the settings mean. Each call of what it returns is one fresh
//     state, of which its scope says how many there are: a Policy, with one field for each role.
//  4. An attempt is offered. The gates are asked in the order of the stack, first tries too, and
//     the first that says no has refused it. A retry's wait comes from the stack's pacer. The
//     attempt is sent; at the callee its admission policies are asked in order.
//  5. When the attempt has ended for its caller, the observers are told how.
//
// # Add a policy: one file
//
// Write one file, and nothing else, with
//
//  1. the settings: a struct with a yaml, a doc and, where they apply, an enum and a scale tag
//     on each field;
//  2. `var _ = builtin(Spec{...}, defaults, check, maker)`: name, doc with its source, example,
//     roles; the defaults, with the reason for each beside it;
//  3. the state, which keeps a pointer to what all states of one place share, and its methods
//     Admit, Wait, Observe or Enter.
//
// Decoding, the reference page, scaling and the conformance test follow from the registry. What is
// special about the policy goes into a test of its own and a script in testdata. A program outside
// this package makes a Kind with NewKind and passes Builtins().With(kind) on.
//
// # What is guaranteed
//
//   - The same questions in the same order get the same answers on every machine: no wall clock,
//     no global chance, no map order, and budgets count in whole numbers.
//   - A wait is never negative and never longer than sim.MaxTime.
//   - Admit, Wait, Observe and Enter allocate nothing, except that a sliding window grows, by
//     doubling, until it holds its slots.
//   - No policy keeps the *Attempt it was given.
//   - A registry, its kinds and what a Maker shares are never written after they were made; a state
//     belongs to the one replication it was made for.
package policies
