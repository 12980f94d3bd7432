package main

import (
	"fmt"

	"github.com/diffprof/diffprof/internal/nearest"
)

// meant returns a question that suggests the name most similar to written. It is empty if no name is
// similar. prefix comes before the name.
func meant(written, prefix string, names []string) string {
	if name := nearest.Name(written, names); name != "" {
		return fmt.Sprintf(", did you mean %s%s?", prefix, name)
	}
	return ""
}
