package main

import "time"

// version names the source, not the checkout: the same version gives the same bytes.
const version = "0.1.0"

// released is the month of that version.
var released = time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
