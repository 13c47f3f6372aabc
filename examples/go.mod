module github.com/seed-369ec62e/cap/examples

go 1.26.0

require github.com/seed-369ec62e/cap v0.0.0

// The examples run on the source beside them.
replace github.com/seed-369ec62e/cap => ../
