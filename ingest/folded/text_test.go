package folded

import (
	"strconv"
	"strings"
	"testing"
)

// TestLastFields checks which text at the end of a line may be a number.
func TestLastFields(t *testing.T) {
	for stack, want := range map[string]string{"main;load 12": "12", "main;load 1.": "1.", "main\t3": "3", "main;load12": "none", "main;load x": "none", "12": "none", "": "none"} {
		got := "none"
		if last := lastField([]byte(stack)); last != nil {
			got = string(last)
		}
		if got != want {
			t.Errorf("the last field of %q is %q, want %q", stack, got, want)
		}
	}
}

// TestCommaFields checks that a line is split at its last comma.
func TestCommaFields(t *testing.T) {
	for line, want := range map[string][2]string{
		"main;load,12\r":    {"main;load", "12"},
		"main;load<a,b>,12": {"main;load<a,b>", "12"},
		",12":               {"", "12"},
		"main,":             {"main", ""},
		"main;load":         {"main;load", ""},
		"":                  {"", ""},
	} {
		stack, last := commaFields([]byte(line))
		if string(stack) != want[0] || string(last) != want[1] {
			t.Errorf("%q has the stack %q and the value %q, want %q", line, stack, last, want)
		}
	}
}

// TestQuotedTexts checks that only a text of more than 40 bytes is cut.
func TestQuotedTexts(t *testing.T) {
	whole := strings.Repeat("a", 40)
	if got := quote([]byte(whole)); got != strconv.Quote(whole) {
		t.Errorf("40 bytes are quoted as %s", got)
	}
	if got := quote([]byte(whole + "b")); got != strconv.Quote(whole)+"…" {
		t.Errorf("41 bytes are quoted as %s", got)
	}
}

// TestValuedLines checks whether a line has a value, and how many frames it has.
func TestValuedLines(t *testing.T) {
	for line, want := range map[string]struct {
		valued bool
		frames int
	}{
		"main 12":        {true, 1},
		"main;load 12":   {true, 2},
		"main;load 1e3":  {true, 2},
		"main;load 12@3": {true, 2},
		"a;b;c 1":        {true, 2}, // Two frames suffice.
		";;main 5":       {true, 1},
		"main load":      {false, 1},
		"main;load":      {false, 2},
		"main e":         {false, 1},
	} {
		stack, last := fields([]byte(line))
		if valued, frames := isValued(stack, last); valued != want.valued || frames != want.frames {
			t.Errorf("%q has a value: %v, and %d frames; want %v and %d", line, valued, frames, want.valued, want.frames)
		}
	}
}

// TestMoreLines checks methods with angle brackets, and line numbers at their limits.
func TestMoreLines(t *testing.T) {
	for frame, want := range map[string]int32{
		"com.mine.Feed.<init>:12":    12,
		"com.mine.Feed.<clinit>:12":  12,
		"com.mine.Feed.<lambda>:12":  0,
		"com.mine.Feed.a/b:12":       0,
		"com.mine.Feed.load:1234567": 1234567,
		"A.b:1":                      1,
		".b:12":                      0,
		"A.:12":                      0,
		":12":                        0,
		"Feed.9load:12":              0,
	} {
		if _, line, _ := cutLine([]byte(frame), nil); line != want {
			t.Errorf("%s has the line %d, want %d", frame, line, want)
		}
	}
}
