// Package topologies is the catalogue that ships with the program: small worlds that are theory,
// known papers and a real incident, in the file format that users write.
//
//  1. Each folder NAME holds topology.yaml and any number of scenarios, SCENARIO.yaml. A topology
//     that says how long to run is a scenario itself.
//  2. Names and Scenarios list them, Open finds one by NAME or NAME/SCENARIO, and package load
//     reads it like a file on disk.
//
// All of it is embedded in the program, and a test loads every file and every variant.
package topologies
