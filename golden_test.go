package cap_test

import "flag"

// update rewrites the golden files in testdata with what the code says now.
// Read the diff before you commit it.
var update = flag.Bool("update", false, "rewrite the golden files in testdata")
