package model

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"
)

// files has the built-in models, which are called ready. The name of a file is the name of its
// model.
//
//go:embed ready/*.yaml
var files embed.FS

// ready lists the names of the built-in models in the order in which they are shown.
var ready = []string{"lte", "wifi", "5g", "passion", "magic", "tytn2"}

// ReadyNames returns the names of the built-in models.
func ReadyNames() []string { return slices.Clone(ready) }

// Ready returns the built-in model with the given name.
func Ready(name string) (*Device, error) {
	if !slices.Contains(ready, name) {
		return nil, fmt.Errorf("unknown power model %q%s", name, meant(name, ready))
	}
	data, err := files.ReadFile("ready/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("built-in power model %s: %w", name, err)
	}
	d, err := Read(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("built-in power model %s: %w", name, err)
	}
	return d, nil
}

// IsReady reports whether name is a built-in model rather than a path.
func IsReady(name string) bool { return slices.Contains(ready, strings.TrimSpace(name)) }

// Schema is the JSON Schema of a model file. A file that satisfies the schema may still have errors
// that only Read finds, such as an unreachable state.
//
//go:embed schema.json
var Schema []byte
