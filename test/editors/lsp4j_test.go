package editors

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/test/cached"
)

var update = flag.Bool("update", false, "write what a user of Android Studio sees")

// TestAndroidStudio opens files as LSP4IJ does, and compares what the user sees with goldens. It has
// no Android Studio, so it does not show how texts are drawn.
func TestAndroidStudio(t *testing.T) {
	classes := strings.Join(cached.LSP4J(t), string(filepath.ListSeparator))
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip("needs java 17 or newer")
	}
	program, command := buildDiffprof(t), templateCommand(t)
	if command[0] != "diffprof" {
		t.Fatalf("the template starts %q", command)
	}
	client, err := filepath.Abs("testdata/lsp4j/Client.java")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, folder, file, click, project string }{
		{"player", "player", "app/src/main/java/com/pandora/android/view/TrackElapsedTimeView.java", "setText", ""},
		{"notes", "my notes #1", "app/src/main/kotlin/com/example/notes/NotesActivity.kt", "query", "subject: traces/new.folded\nreference: traces/old.folded\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			folder := filepath.Join(dir, c.folder)
			copyFolder(t, folder, filepath.Join(plugin, "test/samples", c.folder))
			if c.project != "" {
				if err := os.WriteFile(filepath.Join(folder, "diffprof.yaml"), []byte(c.project), 0o644); err != nil {
					t.Fatal(err)
				}
			} else {
				copyFolder(t, filepath.Join(folder, "traces"), root+"/testdata/cases/pandora57-pandora83")
				copyFile(t, filepath.Join(folder, "traces", "power_profile.xml"), root+"/testdata/cases/power_profile.xml")
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			args := append([]string{"-cp", classes, client, folder, c.file, c.click, program}, command[1:]...)
			cmd := exec.CommandContext(ctx, java, args...)
			cmd.WaitDelay = 10 * time.Second
			cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir, "TMPDIR="+dir)
			var problems strings.Builder
			cmd.Stderr = &problems
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s%s", err, out, &problems)
			}
			got := strings.ReplaceAll(string(out), "\r", "")
			golden := filepath.Join("testdata/lsp4j", c.name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the user sees\n%s\nwant\n%s", got, want)
			}
			if left, err := filepath.Glob(filepath.Join(dir, "diffprof-*")); err != nil || len(left) > 0 {
				t.Errorf("pages left behind: %v, %v", left, err)
			}
		})
	}
}

// templateCommand returns the command of the template for Android Studio.
func templateCommand(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(root + "/editors/android-studio/template.json")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		ProgramArgs      map[string]string
		FileTypeMappings []struct {
			LanguageID string
			FileType   struct{ Patterns []string }
		}
	}
	if err := json.Unmarshal(data, &template); err != nil {
		t.Fatal(err)
	}
	languages := make(map[string]string)
	for _, m := range template.FileTypeMappings {
		for _, p := range m.FileType.Patterns {
			languages[p] = m.LanguageID
		}
	}
	if languages["*.java"] != "java" || languages["*.kt"] != "kotlin" || languages["diffprof.yaml"] != "yaml" {
		t.Errorf("the template has the languages %v", languages)
	}
	return strings.Fields(template.ProgramArgs["default"])
}
