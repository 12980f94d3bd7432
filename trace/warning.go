package trace

import (
	"fmt"
	"regexp"
)

// A Warning tells of data that is imperfect but usable.
type Warning struct {
	// Code is stable and made for programs: lower case, words joined by '-'.
	Code string
	// Message is one sentence made for people, with counts.
	Message string
}

// A Count is how often something odd was met, for a Warning with this code. Text is a format
// of Counted that takes N.
type Count struct {
	N          int64
	Code, Text string
}

// Counts returns the warnings of what was met at all, in the order of the counts.
func Counts(counts ...Count) []Warning {
	var all []Warning
	for _, c := range counts {
		if c.N > 0 {
			all = append(all, Warning{Code: c.Code, Message: Counted(c.Text, c.N)})
		}
	}
	return all
}

var choice = regexp.MustCompile(`\{([^|{}]*)\|([^|{}]*)\}`)

// Counted formats a message as fmt.Sprintf does. Of each {sample is|samples are} in the format it takes
// the first if the first argument is the number 1, else the second.
func Counted(format string, args ...any) string {
	which := "$2"
	if len(args) > 0 && fmt.Sprint(args[0]) == "1" {
		which = "$1"
	}
	return fmt.Sprintf(choice.ReplaceAllString(format, which), args...)
}
