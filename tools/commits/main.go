// Command commits creates a project for trying out diffprof history: a git repository with thirty
// commits of a news reader, recordings of five runs per commit as folded stacks, and a script that
// adds the runs of ten commits to a history.
//
//	go run ./tools/commits FOLDER
//	cd FOLDER && sh add.sh
//
// From the commit "Decode pictures at full size" on, refreshing the feed costs a quarter more. From
// "Keep articles in a cache" on, opening an article costs a third less. The content of the folder
// is always the same, including the hashes.
package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// commits is the number of commits. The script adds the runs of one in every commits. runs is the
// number of recordings per commit.
const commits, every, runs = 30, 3, 5

// dearer and cheaper are the numbers of the commits from which the app uses more and less energy.
const dearer, cheaper = 16, 23

// noise is the relative variation that all methods of a run have in common. own is the relative
// variation of each method.
const noise, own = 0.02, 0.015

// A cost is the energy of one stack in microjoules, and how it changes.
type cost struct {
	stack string
	costs float64
	since int
	times float64
}

// costs are the costs of one run. The event loop of a thread runs callbacks of the app, which call
// the framework.
var costs = []cost{
	{"news.Feed.onRefresh;android.graphics.BitmapFactory.decodeStream", 5200, dearer, 1.4},
	{"news.Feed.onRefresh;org.json.JSONObject.<init>", 1900, 0, 1},
	{"news.Feed.onRefresh;android.widget.TextView.setText", 700, 0, 1},
	{"news.Feed.onRefresh", 400, 0, 1},
	{"news.Article.onClick;java.net.HttpURLConnection.connect", 3100, cheaper, 0.5},
	{"news.Article.onClick;android.webkit.WebView.loadUrl", 2300, 0, 1},
	{"news.Article.onClick", 350, 0, 1},
	{"news.Settings.onClick;android.content.SharedPreferences.edit", 260, 0, 1},
	{"news.Settings.onClick", 120, 0, 1},
}

func main() {
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "usage: commits FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "commits:", err)
		os.Exit(1)
	}
}

// write makes the project in a new folder.
func write(folder string) error {
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	if _, err := git(folder, 0, "init", "-q", "-b", "main", "."); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(9, 30))
	script := "# Adds the recordings to the history of the project.\nset -e\n"
	for n := range commits {
		hash, err := commit(folder, n)
		if err != nil {
			return err
		}
		for run := range runs {
			path := filepath.Join(folder, "runs", hash[:7], fmt.Sprintf("run%d.folded", run+1))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(path, []byte(record(n, random)), 0o666); err != nil {
				return err
			}
		}
		if (n+1)%every == 0 {
			script += fmt.Sprintf("diffprof history add --commit %s --version 1.%d --device 'Pixel 4' --scenario morning --folded-unit nJ 'runs/%s/*.folded'\n", hash, n+1, hash[:7])
		}
	}
	return os.WriteFile(filepath.Join(folder, "add.sh"), []byte(script), 0o666)
}

// commit makes commit number n and returns its hash.
func commit(folder string, n int) (string, error) {
	subject := fmt.Sprintf("Word %d of the help", n+1)
	switch n {
	case dearer:
		subject = "Decode pictures at full size"
	case cheaper:
		subject = "Keep articles in a cache"
	}
	if _, err := git(folder, n, "commit", "-q", "--allow-empty", "-m", subject); err != nil {
		return "", err
	}
	return git(folder, n, "rev-parse", "HEAD")
}

// git runs git with the date of commit number n.
func git(folder string, n int, args ...string) (string, error) {
	when := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, 2*n).Format(time.RFC3339)
	cmd := exec.Command("git", append([]string{"-c", "user.name=news", "-c", "user.email=news@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// record returns the recording of one run of a commit.
func record(n int, r *rand.Rand) string {
	whole := math.Exp(noise * r.NormFloat64())
	var b strings.Builder
	for _, c := range costs {
		x := c.costs * whole * math.Exp(own*r.NormFloat64())
		if c.since > 0 && n >= c.since {
			x *= c.times
		}
		fmt.Fprintf(&b, "main;android.os.Handler.dispatchMessage;%s %d\n", c.stack, int64(1000*x))
	}
	return b.String()
}
