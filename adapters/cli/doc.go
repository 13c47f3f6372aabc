// Package capcli makes a command line program of a [cap.Registry]: one command a capability, its flags made from the
// fields of the input.
//
//	program, err := capcli.New(registry, capcli.Options{})
//	…
//	os.Exit(program.Main())
//
// The result of a call goes to standard output, and nothing else does. What went wrong, notes and questions go to standard
// error. Standard input is read only where "-" asks for it. A call takes its input from flags, from --input (JSON, @file or
// -) and, where a field says so, from the environment; it is then decoded and validated exactly as over HTTP or MCP.
//
// # Flags
//
// A field order_number is the flag --order-number; --order_number is understood too. Members of a nested object are
// dotted, as in --address.city. A list repeats its flag, and a comma is data. A map repeats k=v. A bool is --x, --x=false or
// --no-x, a null --x-null. What nests deeper takes JSON, @file or - (standard input), []byte takes base64 or @file. The
// struct tag key cli refines a field:
//
//	cli:"arg"                 also the next positional argument; at most two and one list at the end
//	cli:"short=o,env=ORDER"   -o, and a variable that is read when nothing else sets the field
//	cli:"flag=number"         another flag
//	cli:"-"                   no flag: only --input reaches it
//
// and on the contract's marker:
//
//	cli:"name=ship,group=orders"   the command "orders ship"
//
// # Exit codes
//
//	0    the call answered
//	1    a declared failure, or output that could not be written
//	2    unknown command or flag, or invalid input
//	4    not authenticated, or forbidden
//	5    confirmation declined or missing
//	6    an approval was requested and is not decided yet
//	7    the action was started before and its outcome is not known
//	70   a defect
//	124  the time was up
//	130  cancelled by Ctrl-C; 143 by SIGTERM
//	141  the reader of standard output went away
package capcli
