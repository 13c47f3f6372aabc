package capcli

import "strings"

// style is what a terminal shows text in.
type style string

const (
	styleBad   style = "31" // red
	styleGood  style = "32" // green
	styleTitle style = "1"  // bold
	styleFaint style = "2"  // faint
	styleNone  style = ""   // as it is
	styleReset       = "\x1b[0m"
	styleStart       = "\x1b["
)

// painter paints text for one stream; the zero painter leaves it as it is.
type painter struct{ on bool }

func (p painter) paint(s style, text string) string {
	if !p.on || s == styleNone || text == "" {
		return text
	}
	return styleStart + string(s) + "m" + text + styleReset
}

// painters finds out which streams take colours: terminals, unless somebody said no.
func (r *run) painters() (out, err painter) {
	if !r.mayPaint() {
		return painter{}, painter{}
	}
	return painter{r.streams.OutTerminal}, painter{r.streams.ErrTerminal}
}

// mayPaint reports whether nobody said no: NO_COLOR with any value, a terminal that is dumb, or --no-color, which counts
// even on a command line that cannot be parsed.
func (r *run) mayPaint() bool {
	if value, ok := r.streams.LookupEnv("NO_COLOR"); ok && value != "" {
		return false
	}
	return !r.isDumb() && !r.says("--no-color")
}

// isDumb reports whether the terminal says that it can do nothing but print.
func (r *run) isDumb() bool {
	term, _ := r.streams.LookupEnv("TERM")
	return term == "dumb"
}

// says reports whether a switch stands on the command line.
func (r *run) says(name string) bool {
	for _, arg := range r.args {
		if arg == "--" {
			return false
		}
		if value, found := strings.CutPrefix(arg, name); found && (value == "" || value == "=true") {
			return true
		}
	}
	return false
}
