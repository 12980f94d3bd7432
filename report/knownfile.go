package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// noBaseline ends the errors about files that are not baselines.
const noBaseline = "; diffprof baseline writes baseline files"

var identity = regexp.MustCompile(`^[0-9a-f]{16}$`)

// ReadBaseline reads the file of a baseline. The error's text follows the name of the file.
func ReadBaseline(data []byte) (Baseline, error) {
	var b Baseline
	if len(bytes.TrimSpace(data)) == 0 {
		return b, errors.New(": it is empty" + noBaseline)
	}
	var head struct {
		SchemaVersion int `json:"schemaVersion"`
	}
	line := func(offset int64) int {
		return 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
	}
	d := json.NewDecoder(bytes.NewReader(data))
	err := d.Decode(&head)
	end := d.InputOffset()
	if err == nil && head.SchemaVersion > SchemaVersion {
		return b, fmt.Errorf(" has schemaVersion %d, and this diffprof reads %d: use the diffprof that wrote it, or write it anew with diffprof baseline", head.SchemaVersion, SchemaVersion)
	}
	if err == nil {
		err = json.Unmarshal(data[:end], &b)
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return b, fmt.Errorf(": unexpected end of JSON at byte %d%s", len(bytes.TrimSpace(data)), noBaseline)
	case errors.As(err, &syntax):
		return b, fmt.Errorf(": line %d: %w%s", line(syntax.Offset), err, noBaseline)
	case errors.As(err, &kind):
		return b, fmt.Errorf(": line %d: %s is %s, not %s%s", line(kind.Offset), kind.Field, jsonKind(kind.Value), jsonKind(kind.Type.String()), noBaseline)
	case err != nil:
		return b, fmt.Errorf(": %w%s", err, noBaseline)
	case b.SchemaVersion < 1 || b.Findings == nil:
		return b, errors.New(" has no findings" + noBaseline)
	}
	if rest := data[end:]; len(bytes.TrimSpace(rest)) > 0 {
		at := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
		return b, fmt.Errorf(": line %d: text after the end of the baseline%s", line(end+int64(at)), noBaseline)
	}
	seen := make(map[string]int, len(b.Findings))
	for i, k := range b.Findings {
		if !identity.MatchString(k.ID) {
			return b, fmt.Errorf(": entry %d has no id of 16 hexadecimal digits%s", i+1, noBaseline)
		}
		if first, twice := seen[k.ID]; twice {
			return b, fmt.Errorf(": entries %d and %d have the id %s; remove one of them", first, i+1, k.ID)
		}
		seen[k.ID] = i + 1
	}
	return b, nil
}

// jsonKind names the kind of a JSON value, or of the JSON value of a Go type.
func jsonKind(word string) string {
	switch {
	case word == "string":
		return "a string"
	case word == "bool":
		return "true or false"
	case word == "array", strings.HasPrefix(word, "[]"):
		return "a list"
	case strings.HasPrefix(word, "number"):
		return "a number"
	case word == "int", word == "int64", word == "units.Energy":
		return "a whole number"
	}
	return "an object"
}
