// Package git reads the commits of a repository by running git, which must be installed.
package git

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// A Commit is a commit of a repository.
type Commit struct {
	// Hash is the full hash. Parents has the hashes of the parent commits. It is empty for the
	// first commit, and for the last commit of a shallow clone.
	Hash    string
	Parents []string
	// Time is the time of the commit.
	Time time.Time
}

// Find returns the commit to which a git revision refers, such as HEAD, main or 4f2c1a. folder must
// be in the repository.
func Find(ctx context.Context, folder, rev string) (*Commit, error) {
	if strings.HasPrefix(rev, "-") {
		return nil, fmt.Errorf("%q is not a commit", rev)
	}
	out, err := run(ctx, folder, "show", "--no-patch", "--no-notes", "--format=%H %ct %P", rev+"^{commit}", "--")
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(out)
	if len(fields) < 2 {
		return nil, fmt.Errorf("unexpected output of git, %q, for the commit %s", out, rev)
	}
	seconds, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("unexpected output of git, %q, for the commit %s", out, rev)
	}
	return &Commit{Hash: fields[0], Parents: fields[2:], Time: time.Unix(seconds, 0)}, nil
}

// Changed reports whether tracked files of the repository differ from its latest commit.
func Changed(ctx context.Context, folder string) (bool, error) {
	out, err := run(ctx, folder, "status", "--porcelain", "--untracked-files=no")
	return out != "", err
}

// run runs git in a folder and returns its output.
func run(ctx context.Context, folder string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = folder
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		message, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		return "", fmt.Errorf("git %s: %s", args[0], message)
	}
	if err != nil {
		return "", fmt.Errorf("running git: %w", err)
	}
	return strings.TrimRight(string(out), "\n"), nil
}
