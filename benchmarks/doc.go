// Package benchmarks measures this project side by side with what a user would pick instead: one job, create_order, the
// same bytes in and the same receipt out, through every row in one run, interleaved.
//
// The job is in job, the rows are in rows, the types of the registration are generated into many, and bench runs it all and
// writes RESULTS.md ("make bench"). The module stands outside go.work, so that nobody who uses the project meets its peers.
package benchmarks
