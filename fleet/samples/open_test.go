package samples

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMissingColumns checks which columns an error names: those of the table that lacks the fewest,
// and no more than twelve.
func TestMissingColumns(t *testing.T) {
	var many []string
	for i := range 13 {
		many = append(many, fmt.Sprintf("c%d", i))
	}
	const listed = "c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11"
	for _, c := range []struct {
		name  string
		files map[string]string
		file  string
		want  string
	}{
		{"twelve", map[string]string{"a.csv": strings.Join(many[:12], ",") + "\n1,2,3,4,5,6,7,8,9,10,11,12\n"}, "a.csv", "the columns are " + listed + ";"},
		{"thirteen", map[string]string{"a.csv": strings.Join(many, ",") + "\n1,2,3,4,5,6,7,8,9,10,11,12,13\n"}, "a.csv", "the columns are " + listed + " and 1 more;"},
		{"no level", map[string]string{"a.csv": "client,time,other\na,1704067200,50\n"}, "a.csv", "no column named level; the columns are client, time, other;"},
		{"two tables", map[string]string{"a.csv": "x,y\n1,2\n", "b.csv": "client,x,level\na,1,50\n"}, "b.csv", "no column named time; the columns are client, x, level;"},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		set, err := Open(t.Context(), Options{Paths: []string{dir}})
		if err == nil {
			set.Close()
			t.Errorf("%s: no error", c.name)
			continue
		}
		if got := err.Error(); !strings.HasPrefix(got, filepath.Join(dir, c.file)+": ") || !strings.Contains(got, c.want) || !strings.HasSuffix(got, "--map FILE states the meaning of columns") {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}
