// Package examples holds programs that show how the framework is used: hello, the smallest, and orders, a whole service. Its
// tests keep the code in the README the same as theirs.
package examples
