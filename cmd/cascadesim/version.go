package main

// version names the source, not the checkout: the same version gives the same bytes.
const version = "0.1.0"
