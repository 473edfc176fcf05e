// Package presets holds what products do when a call fails, as stacks of policies: one YAML file
// for each product and version.
//
//  1. NAME.yaml is the newest version of a product, NAME@VERSION.yaml an older one. What stands in
//     it: name, version, product, doc, source, sure (as policies.Mark), look (the product in one
//     line), stack, and where they differ from the defaults retry_on and scope.
//  2. settings names what a user may set beside the preset, in the product's own words, and where
//     in the stack that is: `num_retries: envoy_retry.num_retries`; `envoy_retry: all` names all
//     settings of a policy that has the product's words already.
//  3. Package model/load reads the files and writes the stack out in place of `preset: NAME`, so
//     that nothing after it knows presets. list, show and docs/presets.md print them.
//
// A stack that holds no policy of its own kind of condition says with retry_on what is tried again;
// in the others a policy decides, and retry_on is that policy's setting, if it has one.
//
// The files hold facts and figures read at the sources that they name. What is known from a
// document only, or believed, is marked so. The package needs the standard library alone.
package presets
