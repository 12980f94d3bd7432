package trace

import (
	"fmt"
	"regexp"
)

// ImpossibleTime is the code of the warning about times that are longer than the run allows.
const ImpossibleTime = "impossible-time"

// FasterProcessor is the code of the warning that cycles were counted at a higher frequency than the
// stated one.
const FasterProcessor = "faster-processor"

// A Warning describes data that is faulty but usable.
type Warning struct {
	// Code identifies the kind of warning for programs, such as "clock-backwards". It never
	// changes.
	Code string
	// Message is one sentence for people, with the number of occurrences.
	Message string
}

// A Count is how often a fault occurred (N). [Counts] makes it a Warning with the code Code. The
// message is Text, formatted by [Counted] with N.
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

// Counted formats a message as fmt.Sprintf does, and chooses singular or plural. In {sample
// is|samples are}, it keeps the first alternative if the first argument is 1, and otherwise the
// second.
func Counted(format string, args ...any) string {
	which := "$2"
	if len(args) > 0 && fmt.Sprint(args[0]) == "1" {
		which = "$1"
	}
	return fmt.Sprintf(choice.ReplaceAllString(format, which), args...)
}
