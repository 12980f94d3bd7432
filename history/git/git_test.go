package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// runner creates a folder, and returns it with a function that runs git in it.
func runner(t *testing.T) (folder string, do func(args ...string) string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	folder = t.TempDir()
	return folder, func(args ...string) string {
		t.Helper()
		out, err := run(context.Background(), folder, args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

func TestFind(t *testing.T) {
	ctx := context.Background()
	folder, do := runner(t)
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(folder))
	if _, err := Find(ctx, folder, "HEAD"); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("there is no repository: %v", err)
	}
	do("init", "-q", "-b", "main", ".")
	if _, err := Find(ctx, folder, "HEAD"); err == nil {
		t.Error("there is not a commit")
	}
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, []byte("one"), 0o666); err != nil {
		t.Fatal(err)
	}
	do("add", "file")
	t.Setenv("GIT_COMMITTER_DATE", "2026-03-01T12:00:00Z")
	for range 2 {
		do("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "commit", "-q", "--allow-empty", "-m", "x")
	}
	first, err := Find(ctx, folder, "HEAD~1")
	if err != nil || first.Hash != do("rev-parse", "HEAD~1") || len(first.Parents) != 0 || !first.Time.Equal(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("the first commit: %+v %v", first, err)
	}
	if err := os.Mkdir(filepath.Join(folder, "below"), 0o777); err != nil {
		t.Fatal(err)
	}
	second, err := Find(ctx, filepath.Join(folder, "below"), "main")
	if err != nil || !slices.Equal(second.Parents, []string{first.Hash}) {
		t.Errorf("the second commit: %+v %v", second, err)
	}
	for _, rev := range []string{"none", "-h", "--version", "HEAD~7", "HEAD:file", ""} {
		if got, err := Find(ctx, folder, rev); err == nil {
			t.Errorf("%q is %+v", rev, got)
		}
	}
	for _, text := range []string{"one", "two"} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if changed, err := Changed(ctx, folder); err != nil || changed != (text == "two") {
			t.Errorf("changed is %t with %q in the file: %v", changed, text, err)
		}
	}
}
