package report

// Sight and Open are for tests of pages with figures, which use this package.
type Sight = sight

var Open = open
