//go:build unix

package history

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/trace"
)

// adding is the environment variable that makes this program add runs to a history until it is
// killed.
const adding = "DIFFPROF_TEST_ADDING"

// reading is the environment variable that makes this program read a read-only history.
const reading = "DIFFPROF_TEST_READING"

func TestMain(m *testing.M) {
	if job := os.Getenv(adding); job != "" {
		fmt.Fprintln(os.Stderr, addUntilKilled(job))
		os.Exit(1)
	}
	if path := os.Getenv(reading); path != "" {
		if err := readOnly(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// addUntilKilled adds numbered runs, and prints each number after it was added. A job has the first
// number, the maximum size of a file in bytes (0 means no limit), and the path, separated by
// spaces.
func addUntilKilled(job string) error {
	var n int
	var most uint64
	var path string
	if _, err := fmt.Sscan(job, &n, &most, &path); err != nil {
		return err
	}
	sample()
	if most > 0 {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	s, err := Create(context.Background(), path)
	if err != nil {
		return err
	}
	for ; ; n++ {
		// The file must have both of these runs or neither.
		if _, err := s.Add(context.Background(), commit(n), numbered(2*n), numbered(2*n+1)); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// A worker is a process that runs addUntilKilled.
type worker struct {
	*exec.Cmd
	lines  *bufio.Scanner
	failed *bytes.Buffer
}

// work starts a worker. first is the number of its first run, and most the maximum size of a file.
func work(t *testing.T, path string, first int, most uint64) worker {
	t.Helper()
	w := worker{Cmd: exec.Command(os.Args[0]), failed: new(bytes.Buffer)}
	w.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %s", adding, first, most, path))
	w.Stderr = w.failed
	out, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	w.lines = bufio.NewScanner(out)
	if !w.lines.Scan() || w.lines.Text() != "ready" {
		t.Fatalf("the worker says %q: %v", w.lines.Text(), w.Wait())
	}
	return w
}

// killed kills the worker after some time, and returns the numbers that it printed.
func (w *worker) killed(t *testing.T, after time.Duration) []int {
	t.Helper()
	kill := time.AfterFunc(after, func() { w.Process.Kill() })
	defer kill.Stop()
	reported := w.ended(t)
	if w.failed.Len() > 0 {
		t.Errorf("the worker ended by itself: %s", w.failed)
	}
	return reported
}

// ended waits until the worker exits, and returns the numbers that it printed.
func (w *worker) ended(t *testing.T) []int {
	t.Helper()
	var reported []int
	for w.lines.Scan() {
		n, err := strconv.Atoi(w.lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		reported = append(reported, n)
	}
	if err := w.Wait(); err == nil {
		t.Error("the worker ended without a reason")
	}
	return reported
}

// kills is the total number of workers that are killed. chain is the number of workers that add to
// the same history, one after the other.
const (
	kills = 200
	chain = 25
)

// TestKills kills programs that add to histories, at random times from the creation of the file on.
// Afterwards, the history must be valid and have every run that was reported as added.
func TestKills(t *testing.T) {
	for c := range shorten.Count(kills / chain) {
		t.Run(strconv.Itoa(c), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(15, uint64(c)))
			path := filepath.Join(t.TempDir(), "history.db")
			var runs []int
			next, interrupted := 1, 0
			for range chain {
				w := work(t, path, next, 0)
				reported := w.killed(t, time.Duration(random.Int64N(int64(60*time.Millisecond))))
				if info, err := os.Stat(path + "-journal"); err == nil && info.Size() > 0 {
					interrupted++
				}
				if _, err := os.Stat(path); err != nil && len(reported) == 0 {
					continue // The worker was killed before the file existed.
				}
				s, err := Open(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				var fresh []int
				for _, n := range reported {
					fresh = append(fresh, 2*n, 2*n+1)
					next = n + 1
				}
				whole(t, s, fresh...)
				runs = append(runs, fresh...)
				// A commit that was added but not reported must have both of its runs.
				for _, e := range list(t, s, Filter{}) {
					if len(e.Runs) != 2 {
						t.Errorf("%v has %d of 2 runs", &e, len(e.Runs))
					}
					next = max(next, int(e.Time.Unix())+1)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			whole(t, s, runs...)
			t.Logf("%d runs were added, and %d of %d kills left a transaction in its middle", len(runs), interrupted, chain)
		})
	}
}

// TestProgramsWaitForEachOther adds to the same file from two programs concurrently.
func TestProgramsWaitForEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	const far, enough = 1000, 15
	workers := []worker{work(t, path, 1, 0), work(t, path, far, 0)}
	var runs []int
	for _, w := range workers {
		for range enough {
			if !w.lines.Scan() {
				t.Fatal("a program ended early")
			}
			n, err := strconv.Atoi(w.lines.Text())
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, 2*n, 2*n+1)
		}
	}
	for _, w := range workers {
		for _, n := range w.killed(t, 0) {
			runs = append(runs, 2*n, 2*n+1)
		}
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	whole(t, s, runs...)
}

// TestFullDisk runs a program that adds until the disk is full. The history must have all reported
// runs. After space is freed, the program must be able to add more.
func TestFullDisk(t *testing.T) {
	full := func(t *testing.T, folder string, most uint64) {
		path := filepath.Join(folder, "history.db")
		// Removing entries needs space for a journal.
		spare := filepath.Join(folder, "spare")
		if err := os.WriteFile(spare, make([]byte, 64<<10), 0o666); err != nil {
			t.Fatal(err)
		}
		w := work(t, path, 1, most)
		reported := w.ended(t)
		if !strings.Contains(w.failed.String(), "nothing was changed") {
			t.Errorf("the program ends with %s", w.failed)
		}
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var runs []int
		for _, n := range reported {
			runs = append(runs, 2*n, 2*n+1)
		}
		if len(runs) < 10 {
			t.Errorf("%d runs fit", len(runs))
		}
		whole(t, s, runs...)
		if got := len(list(t, s, Filter{})); got != len(reported) {
			t.Errorf("%d entries, and %d were reported", got, len(reported))
		}
		if err := os.Remove(spare); err != nil {
			t.Fatal(err)
		}
		if err := s.Remove(t.Context(), 1, 2); err != nil {
			t.Fatal(err)
		}
		add(t, s, commit(1), numbered(2))
		whole(t, s, append(runs[4:], 2)...)
	}
	t.Run("limit", func(t *testing.T) { full(t, t.TempDir(), 160<<10) })
	// If the test may mount a file system, use a disk that is really full.
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Logf("there is no small disk to fill: %s", out)
		return
	}
	defer exec.Command("umount", disk).Run()
	t.Run("disk", func(t *testing.T) { full(t, disk, 0) })
}

// TestReadOnly reads a read-only history. If the current user may write all files, it reads the
// history as another user.
func TestReadOnly(t *testing.T) {
	s, path := create(t, 1, 2)
	s.Close()
	folder := filepath.Dir(path)
	for at, mode := range map[string]fs.FileMode{path: 0o444, folder: 0o555, filepath.Dir(folder): 0o755} {
		if err := os.Chmod(at, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(folder, 0o755) })
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(filepath.Dir(folder), "reader")
	if err := os.WriteFile(program, data, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), reading+"="+path)
	if os.Geteuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// readOnly reads a read-only history, and checks that adding to it fails.
func readOnly(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	defer s.Close()
	entries, err := s.List(ctx, Filter{})
	if err != nil || len(entries) != 2 {
		return fmt.Errorf("%d entries: %w", len(entries), err)
	}
	if _, err := s.Load(ctx, entries[1].Runs[0]); err != nil {
		return err
	}
	if _, err := s.Add(ctx, entries[0], analysis.StoredRun{Input: analysis.Input{Trace: &trace.Trace{}}, Tree: new(cct.Tree)}); err == nil || !strings.Contains(err.Error(), "is read-only") {
		return fmt.Errorf("adding: %w", err)
	}
	return nil
}
