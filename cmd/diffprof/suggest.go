package main

import (
	"fmt"

	"github.com/diffprof/diffprof/internal/nearest"
)

// meant returns a question that suggests the name most similar to written. prefix comes before the
// name. The result is empty if no name is similar.
func meant(written, prefix string, names []string) string {
	if name := nearest.Name(written, names); name != "" {
		return fmt.Sprintf(", did you mean %s%s?", prefix, name)
	}
	return ""
}
