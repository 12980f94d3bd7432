package settings

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/internal/nearest"
)

// A value is a value from YAML, JSON or a flag. Values that are nested deeper than deepest are
// omitted.
type value struct {
	kind valueKind
	// text is the text of a scalar, as written.
	text string
	// items are the values of a list or of an object. names are the object's keys, in the order
	// of items.
	items, names []value
	at           place
}

type valueKind uint8

const (
	nullValue valueKind = iota
	boolValue
	numberValue
	textValue
	listValue
	objectValue
	// oddValue is the kind of a value that no setting accepts, such as binary data.
	oddValue
)

// deepest is the maximum depth of values that are read. Settings have at most three levels.
const deepest = 5

// A place is the position of a value in a project file, counted as in a Problem. It is zero for
// JSON and flags.
type place struct{ line, column, end int }

// A reader reads one layer and collects its problems.
type reader struct {
	// folder is the base of relative paths.
	folder   string
	problems []Problem
	// key is the path of the setting being read, such as severity, error. It is empty while a
	// flag is read.
	key []string
}

// with returns s with the values of a layer, and the problems of the layer.
func (s Settings) with(layer value, folder string) (Settings, []Problem) {
	before := s
	r := &reader{folder: folder}
	readObject(r, layer, &s, keys())
	if _, err := platform.New(platform.Rules{App: s.AppPackages, Framework: s.FrameworkPackages, Own: s.OwnPackages}, nil); err != nil {
		// Each list of packages is valid by itself, but two lists contradict each other.
		s.AppPackages, s.FrameworkPackages, s.OwnPackages = before.AppPackages, before.FrameworkPackages, before.OwnPackages
		for i, name := range layer.names {
			if strings.HasSuffix(name.text, "Packages") {
				r.key = []string{name.text}
				r.report(layer.items[i].at, "%s: %v", name.text, err)
				break
			}
		}
	}
	return s, r.problems
}

// report adds a problem.
func (r *reader) report(at place, format string, a ...any) {
	r.problems = append(r.problems, Problem{
		Line: at.line, Column: at.column, EndColumn: at.end,
		Key: strings.Join(r.key, "."), Message: fmt.Sprintf(format, a...),
	})
}

// wrong reports that the value of a setting is wrong. hint lists the allowed values. It returns
// false, so that a check can end with it.
func (r *reader) wrong(v value, hint string) bool {
	name := strings.Join(r.key, ".")
	if name == "" {
		// The command line adds the flag's name.
		r.report(v.at, "%s", hint)
	} else if v.kind == textValue || v.kind == numberValue || v.kind == boolValue {
		r.report(v.at, "%s: %q: %s", name, shortened(v.text), hint)
	} else {
		r.report(v.at, "%s: %s", name, hint)
	}
	return false
}

// warn reports that the value of a setting is valid but probably a mistake.
func (r *reader) warn(v value, hint string) {
	r.wrong(v, hint)
	r.problems[len(r.problems)-1].Warning = true
}

// shortened truncates a text so that a message fits on a line.
func shortened(s string) string {
	const most = 60
	runes := []rune(s)
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// readObject reads an object and sets the T. It reports whether v is an object. A key that is
// missing or null changes nothing.
func readObject[T any](r *reader, v value, to *T, keys []key[T]) bool {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	if v.kind != objectValue {
		if len(r.key) == 0 {
			r.report(v.at, "write settings as KEY: VALUE, one on each line")
			return false
		}
		return r.wrong(v, "use keys and values; the keys are "+strings.Join(names, ", "))
	}
	given := map[string]bool{}
	for i, name := range v.names {
		found := false
		for _, k := range keys {
			if k.name != name.text {
				continue
			}
			found = true
			r.key = append(r.key, k.name)
			if given[k.name] {
				r.report(name.at, "%s is given twice", strings.Join(r.key, "."))
			} else if v.items[i].kind != nullValue {
				k.set(r, to, v.items[i])
			}
			given[k.name] = true
			r.key = r.key[:len(r.key)-1]
		}
		if !found {
			kind, hint := "setting", "; docs/settings.md lists the settings"
			if len(r.key) > 0 {
				kind, hint = "key of "+strings.Join(r.key, "."), "; use "+strings.Join(names, ", ")
			}
			if near := suggestion(name.text, names); near != "" {
				hint = near
			}
			r.report(name.at, "unknown %s %q%s", kind, shortened(name.text), hint)
		}
	}
	return true
}

// suggestion returns a question that suggests the name most similar to written. It returns "" if no
// name is similar.
func suggestion(written string, names []string) string {
	if name := nearest.Name(written, names); name != "" {
		return fmt.Sprintf(", did you mean %s?", name)
	}
	return ""
}

func (r *reader) text(v value) (string, bool) {
	if v.kind != textValue {
		return "", r.wrong(v, "use a text")
	}
	return v.text, true
}

// paths reads a list of paths.
func (r *reader) paths(v value, to *[]string) {
	if files, ok := r.texts(v, nil); ok {
		for i := range files {
			files[i] = r.path(files[i])
		}
		*to = files
	}
}

// process reads the name or the number of a process.
func (r *reader) process(v value, to *string) {
	if v.kind != textValue && v.kind != numberValue {
		r.wrong(v, "use a name or a number")
		return
	}
	*to = v.text
}

// texts reads a list of texts. It omits the texts that check rejects. A nil check accepts all.
func (r *reader) texts(v value, check func(value) bool) ([]string, bool) {
	if v.kind != listValue {
		return nil, r.wrong(v, "use a list, such as [A, B]")
	}
	list := []string{}
	for _, item := range v.items {
		if text, ok := r.text(item); ok && (check == nil || check(item)) {
			list = append(list, text)
		}
	}
	return list, true
}

func (r *reader) boolean(v value, set func(bool)) {
	if v.kind != boolValue {
		r.wrong(v, "use true or false")
		return
	}
	set(v.text == "true")
}

// count reads a non-negative integer.
func (r *reader) count(v value, to *int) {
	n, err := strconv.ParseInt(v.text, 10, 32)
	if v.kind != numberValue || err != nil || n < 0 {
		r.wrong(v, "use a whole number from 0 up")
		return
	}
	*to = int(n)
}

// countOrAuto reads a non-negative integer, which may be written as a text, or auto.
func (r *reader) countOrAuto(v value, to *int) {
	n, err := strconv.ParseInt(v.text, 10, 32)
	switch {
	case v.kind == textValue && v.text == "auto":
		*to = Auto
	case (v.kind == numberValue || v.kind == textValue && strconv.FormatInt(n, 10) == v.text) && err == nil && n >= 0:
		*to = int(n)
	default:
		r.wrong(v, "use auto, or a whole number from 0 up")
	}
}

// alpha reads α: a non-negative integer, or the name of a rule for α.
func (r *reader) alpha(v value, to *int) {
	n, err := strconv.ParseInt(v.text, 10, 32)
	rule, named := AlphaRule(v.text)
	switch {
	case v.kind == textValue && named:
		*to = rule
	case (v.kind == numberValue || v.kind == textValue && strconv.FormatInt(n, 10) == v.text) && err == nil && n >= 0:
		*to = int(n)
		if n > analysis.MaxAutoAlpha {
			r.warn(v, fmt.Sprintf("call paths that differ by more than %d steps seldom belong to one task; auto and paper choose %[1]d at most", analysis.MaxAutoAlpha))
		}
	default:
		r.wrong(v, "use auto, paper, or a whole number from 0 up")
	}
}

// sizes matches texts that are sizes.
var sizes = regexp.MustCompile("^" + sizePattern + "$")

// size reads a number of bytes above 0, or a text such as 8GiB. If auto is set it reads the
// text auto as 0.
func (r *reader) size(v value, to *int64, auto bool) {
	hint := "use a size above 0, such as 512MiB or 8GiB"
	if auto {
		hint += ", or auto"
	}
	var n uint64
	err := strconv.ErrSyntax
	switch {
	case auto && v.kind == textValue && v.text == "auto":
		*to = 0
		return
	case v.kind == numberValue:
		n, err = strconv.ParseUint(v.text, 10, 64)
	case v.kind == textValue && sizes.MatchString(v.text):
		n, err = humanize.ParseBytes(v.text)
	}
	if err != nil || n == 0 || n > math.MaxInt64 {
		r.wrong(v, hint)
		return
	}
	*to = int64(n)
}

// share reads a fraction or a percentage. It also accepts a word, such as auto, for a given number.
func (r *reader) share(v value, to *float64, word string, number float64) {
	if v.kind == textValue && v.text == word {
		*to = number
		return
	}
	digits, percent := strings.CutSuffix(v.text, "%")
	x, err := strconv.ParseFloat(digits, 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x >= 0 && x <= 1) || percent != (v.kind == textValue) || !percent && v.kind != numberValue {
		hint := "use a percentage such as 5%, a fraction such as 0.05, or " + word
		if len(r.key) == 0 {
			// Flags accept only percentages, with or without the percent sign.
			hint = "use a percentage from 0 to 100, such as 1%, or " + word
		}
		r.wrong(v, hint)
		return
	}
	*to = x
}

// path resolves a path of the layer in its folder. Names of stored runs, such as history:4f2c1a,
// are not paths.
func (r *reader) path(path string) string {
	if path == "" || path == "-" || analysis.IsStored(path) || r.folder == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(r.folder, filepath.FromSlash(path))
}
