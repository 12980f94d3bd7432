package main

import (
	"fmt"

	"github.com/diffprof/diffprof/internal/nearest"
)

// meant asks whether the name closest to what was written was meant; nothing where
// none is close.
func meant(written, prefix string, names []string) string {
	if name := nearest.Name(written, names); name != "" {
		return fmt.Sprintf(", did you mean %s%s?", prefix, name)
	}
	return ""
}
