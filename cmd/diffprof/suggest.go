package main

import (
	"fmt"

	"github.com/diffprof/diffprof/internal/nearest"
)

// meant returns a question whether the name closest to written was meant, or the empty
// string if no name is close. prefix is put before the name.
func meant(written, prefix string, names []string) string {
	if name := nearest.Name(written, names); name != "" {
		return fmt.Sprintf(", did you mean %s%s?", prefix, name)
	}
	return ""
}
