// Package guides holds the code of the pages in docs/, as tests: what the documentation shows compiles, runs and does what
// the page says.
package guides
