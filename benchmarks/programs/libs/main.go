// Command libs does nothing, but links what the program of this project links.
package main

import _ "github.com/seed-369ec62e/cap/adapters/cli"

func main() {}
