package check_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var fingerprint = regexp.MustCompile(`^[0-9a-f]{16}$`)

func followsCodeQuality(t *testing.T, text []byte) {
	t.Helper()
	var list []struct {
		Description string `json:"description"`
		CheckName   string `json:"check_name"`
		Fingerprint string `json:"fingerprint"`
		Severity    string `json:"severity"`
		Location    struct {
			Path  string `json:"path"`
			Lines struct {
				Begin int `json:"begin"`
			} `json:"lines"`
		} `json:"location"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil || list == nil {
		t.Fatalf("%v\n%s", err, text)
	}
	seen := map[string]bool{}
	for _, e := range list {
		switch {
		case e.Description == "" || e.CheckName == "" || e.Location.Path == "":
			t.Errorf("%+v lacks something", e)
		case !fingerprint.MatchString(e.Fingerprint) || seen[e.Fingerprint]:
			t.Errorf("fingerprint %q", e.Fingerprint)
		case !slices.Contains([]string{"info", "minor", "major", "critical", "blocker"}, e.Severity):
			t.Errorf("severity %q", e.Severity)
		case e.Location.Lines.Begin < 1 || strings.HasPrefix(e.Location.Path, "./"):
			t.Errorf("location %+v", e.Location)
		}
		seen[e.Fingerprint] = true
	}
}
