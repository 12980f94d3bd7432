package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// flush is how long an instrumented app may take to write its counts.
const flush = 3 * time.Second

// counts returns the folder on the phone to which an instrumented app writes its recording.
func (s *session) counts() string {
	return "/sdcard/Android/data/" + s.Package + "/files/diffprof-calls"
}

// startCounting starts an instrumented app, which counts its calls.
func (s *session) startCounting(ctx context.Context, activity string) error {
	now, err := s.shell(ctx, "date", "+%m-%d %H:%M:%S.000")
	if err != nil {
		return err
	}
	s.since = lastLine(now)
	s.counting = true
	_, err = s.shell(ctx, "am", "start-activity", "-S", "-W", "-n", activity)
	return err
}

// stopCounting waits until the app has written its counts. It then stops the app, so that the files
// do not change.
func (s *session) stopCounting(ctx context.Context) error {
	if err := s.Wait(ctx, flush); err != nil {
		return err
	}
	_, err := s.shell(ctx, "am", "force-stop", s.Package)
	return errors.Join(err, s.rejected(ctx))
}

// rejection matches a line of the log about a class that Android's verifier rejected. The groups
// are the class, and the method as ART prints it.
var rejection = regexp.MustCompile(`VerifyError: (?:Verifier rejected|Rejecting) class ([\w.$]+)(?:: ([^:\n]*?) failed to verify)?`)

// rejected returns an error if Android has rejected a class of the app since the app was started.
func (s *session) rejected(ctx context.Context) error {
	out, err := s.do(ctx, Command{Args: append([]string{"shell"}, quoted([]string{"logcat", "-d", "-v", "brief", "-T", s.since})...)})
	if err != nil {
		return err
	}
	var classes, methods []string
	for _, m := range rejection.FindAllStringSubmatch(out, -1) {
		if !slices.Contains(classes, m[1]) {
			classes = append(classes, m[1])
		}
		if m[2] != "" && !slices.Contains(methods, m[2]) {
			methods = append(methods, m[2])
		}
	}
	if len(classes) == 0 {
		return nil
	}
	about := strings.Join(classes, ", ")
	if len(methods) > 0 {
		about += " because of " + strings.Join(methods, ", ")
	}
	return fmt.Errorf("the phone rejected %s; instrument the app again with --exclude %s, and report it to the project", about, strings.Join(classes, " --exclude "))
}

// fetchCounts joins the app's files into a single file: first the maps, and then the counts of each
// process.
func (s *session) fetchCounts(ctx context.Context, to string) error {
	out, err := s.shell(ctx, "ls", "-1", s.counts())
	if err != nil && (ctx.Err() != nil || Unreachable(err)) {
		return err
	}
	var maps, processes []string
	for name := range strings.Lines(out) {
		switch name = strings.TrimSpace(name); filepath.Ext(name) {
		case ".calls-map":
			maps = append(maps, name)
		case ".calls":
			processes = append(processes, name)
		}
	}
	if err != nil || len(processes) == 0 {
		return fmt.Errorf("%s has not counted calls: %s has no recording; is the installed build the one that diffprof instrument wrote?", s.Package, s.counts())
	}
	path := filepath.Join(s.Dir, to)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	part := path + ".part"
	defer os.Remove(part)
	var all []byte
	for _, name := range append(maps, processes...) {
		if _, err := s.do(ctx, Command{Args: []string{"pull", s.counts() + "/" + name, part}}); err != nil {
			return err
		}
		data, err := os.ReadFile(part)
		if err != nil {
			return err
		}
		all = append(all, data...)
	}
	if err := os.WriteFile(part, all, 0o666); err != nil {
		return err
	}
	if s.Check != nil {
		if err := s.Check(ctx, part); err != nil {
			return fmt.Errorf("the app's recording is not usable: %w", err)
		}
	}
	if err := os.Rename(part, path); err != nil {
		return err
	}
	return s.removeCounts(ctx)
}

// removeCounts deletes the app's recording on the phone.
func (s *session) removeCounts(ctx context.Context) error {
	_, err := s.shell(ctx, "rm", "-rf", s.counts())
	s.counting = s.counting && err != nil
	return err
}
