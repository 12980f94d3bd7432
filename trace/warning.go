package trace

import (
	"fmt"
	"regexp"
)

// ImpossibleTime is the code of the warning about times that are longer than the run allows.
const ImpossibleTime = "impossible-time"

// A Warning describes data that is faulty but usable.
type Warning struct {
	// Code identifies the kind of warning for programs. It never changes. It has lower-case words
	// joined by '-'.
	Code string
	// Message is one sentence for people, with the number of occurrences.
	Message string
}

// A Count is the number of occurrences of a fault, from which [Counts] makes a Warning with the
// code Code. Text is a format for [Counted] whose first argument is N.
type Count struct {
	N          int64
	Code, Text string
}

// Counts returns a warning for each count above 0, in order.
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

// Counted formats a message as fmt.Sprintf does. In each {sample is|samples are} of the format, it
// keeps the first alternative if the first argument is 1, and otherwise the second.
func Counted(format string, args ...any) string {
	which := "$2"
	if len(args) > 0 && fmt.Sprint(args[0]) == "1" {
		which = "$1"
	}
	return fmt.Sprintf(choice.ReplaceAllString(format, which), args...)
}
