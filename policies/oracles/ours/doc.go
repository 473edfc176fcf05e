// Package ours plays one call to a policy, as the oracles play it to the product.
//
//  1. An oracle makes a script: how each try ends, how long it takes, what the product's dice show.
//  2. Call.Play asks the policy as the simulator does: its condition about the failure, its gate
//     about the next try, its pacer about the wait before it.
//  3. What comes back is when each try was sent; the oracle has the same of the product.
//
// Dice are set: a stream of this program can be made to draw whatever a product drew, since what it
// does to its state can be undone.
package ours
