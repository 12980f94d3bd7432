package samples

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCollectorsContract reads the samples that docs/fleet-samples.md shows. Each field is known.
func TestCollectorsContract(t *testing.T) {
	page, err := os.ReadFile("../../docs/fleet-samples.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(page), "```json\n")
	lines, _, closed := strings.Cut(after, "```")
	if !ok || !closed {
		t.Fatal("the page shows no samples")
	}
	path := filepath.Join(t.TempDir(), "samples.jsonl")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := Open(context.Background(), Options{Paths: []string{path}, Key: []byte("key"), Show: true})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	for _, c := range set.Layouts[0].Columns {
		if c.Role == "" {
			t.Errorf("the field %s is not read", c.Name)
		}
	}
	samples, apps := 0, map[string]bool{}
	for part := range set.Parts() {
		if err := set.Each(context.Background(), part, func(c *Client) error {
			samples += c.Len()
			for _, e := range c.Entries {
				apps[set.Names.Text(e.App)+" "+set.Names.Text(e.Version)] = true
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if samples != 2 || !apps["com.example.chat 4.12"] || !apps["com.example.maps 11.3"] {
		t.Errorf("%d samples with %v", samples, apps)
	}
}
