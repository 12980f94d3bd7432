package record

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A File is a file of the app, such as an APK. Addresses in a run's samples refer to such files.
type File struct {
	// Path is the path of the copy in the output folder. From is the path on the phone.
	Path   string `json:"path"`
	From   string `json:"from"`
	SHA256 string `json:"sha256"`
}

// debugInfo is the property that makes Android's compiler write line tables for compiled code.
const debugInfo = "debug.generate-debug-info"

// foldersOf maps values of ro.product.cpu.abi to the folder that has the compiled code of apps.
var foldersOf = map[string]string{"arm64-v8a": "arm64", "armeabi-v7a": "arm", "x86_64": "x86_64", "x86": "x86", "riscv64": "riscv64"}

// compile compiles the app with line tables and fetches the app's files, once for each installed
// build. The files are stored in the folder symfs, with the same paths as on the phone.
func (s *session) compile(ctx context.Context, run *Run) error {
	build := s.installed + " " + run.Side
	if s.compiled == build {
		run.Files = s.fetched
		return nil
	}
	s.Log("  compiling %s with line tables, which may take a minute", s.Package)
	s.compiled, s.reset = "", true
	before, err := s.shell(ctx, "getprop", debugInfo)
	if err != nil {
		return err
	}
	before = strings.TrimSpace(before)
	s.property = &before
	if _, err := s.shell(ctx, "setprop", debugInfo, "true"); err != nil {
		return err
	}
	out, err := s.shell(ctx, "cmd", "package", "compile", "-f", "-m", "speed", s.Package)
	if err == nil && strings.Contains(out, "Failure") {
		err = fmt.Errorf("adb shell cmd package compile: %s", lastLine(out))
	}
	if err != nil {
		return fmt.Errorf("compiling %s: %w", s.Package, err)
	}
	if _, err := s.shell(ctx, "setprop", debugInfo, before); err != nil {
		return err
	}
	s.property = nil
	if run.Files, err = s.fetchFiles(ctx, run.Side); err != nil {
		return err
	}
	s.compiled, s.fetched = build, run.Files
	return nil
}

// fetchFiles fetches the app's APKs and their compiled code.
func (s *session) fetchFiles(ctx context.Context, side string) ([]File, error) {
	out, err := s.shell(ctx, "pm", "path", s.Package)
	if err != nil {
		return nil, err
	}
	abi, err := s.shell(ctx, "getprop", "ro.product.cpu.abi")
	if err != nil {
		return nil, err
	}
	var files []File
	for line := range strings.Lines(out) {
		apk, ok := strings.CutPrefix(strings.TrimSpace(line), "package:")
		if !ok || !path.IsAbs(apk) {
			continue
		}
		f, err := s.fetchFile(ctx, side, apk)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		stem := path.Join(path.Dir(apk), "oat", foldersOf[strings.TrimSpace(abi)], strings.TrimSuffix(path.Base(apk), ".apk"))
		for _, code := range []string{stem + ".odex", stem + ".vdex"} {
			switch _, err := s.shell(ctx, "stat", "-c", "%s", code); {
			case err == nil:
				if f, err = s.fetchFile(ctx, side, code); err != nil {
					return nil, err
				}
				files = append(files, f)
			case ctx.Err() != nil || Unreachable(err):
				return nil, err
			case path.Ext(code) == ".odex":
				s.note("the phone has no %s: compiled code of %s has no lines", code, path.Base(apk))
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("adb shell pm path %s: no APK", s.Package)
	}
	return files, nil
}

// fetchFile copies a file from the phone.
func (s *session) fetchFile(ctx context.Context, side, from string) (File, error) {
	clean := path.Clean(from)
	f := File{Path: filepath.Join(side, "symfs", filepath.FromSlash(clean)), From: clean}
	to := filepath.Join(s.Dir, f.Path)
	if !filepath.IsLocal(f.Path) {
		return f, fmt.Errorf("%s is not a path of a phone", from)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return f, err
	}
	part := to + ".part"
	defer os.Remove(part)
	if _, err := s.do(ctx, Command{Args: []string{"pull", from, part}}); err != nil {
		return f, err
	}
	file, err := os.Open(part)
	if err != nil {
		return f, err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	file.Close()
	if err != nil {
		return f, err
	}
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return f, os.Rename(part, to)
}

// samplerFile returns the path of a file on the phone with simpleperf's process ID or messages,
// depending on the extension.
func (s *session) samplerFile(extension string) string {
	return "/data/local/tmp/diffprof-" + s.Package + extension
}

// script runs a line of shell code on the phone.
func (s *session) script(ctx context.Context, line string) (string, error) {
	return s.do(ctx, Command{Args: []string{"shell", line}})
}

// startSampling starts simpleperf on the phone, which waits for the app, and then starts the app.
// The process ID is stored in a file, so that repeating the command does not start simpleperf
// again.
func (s *session) startSampling(ctx context.Context, activity, to string) error {
	out, err := s.script(ctx, "pidof simpleperf || true")
	if err != nil {
		return err
	}
	if strings.TrimSpace(out) != "" {
		return errors.New("simpleperf runs on the phone already; end it with adb shell pkill simpleperf")
	}
	pid, log := s.samplerFile(".pid"), s.samplerFile(".log")
	if _, err := s.shell(ctx, "rm", "-f", pid, log); err != nil {
		return err
	}
	s.files = append(s.files, to, pid, log)
	s.sampling = true
	frequency := strconv.FormatInt(int64(time.Second/s.Sampling), 10)
	command := strings.Join(quoted([]string{"simpleperf", "record", "--app", s.Package, "-e", "task-clock:u", "-f", frequency, "-g", "-o", to}), " ")
	out, err = s.script(ctx, "[ -s "+pid+" ] || { nohup "+command+" </dev/null >"+log+" 2>&1 & echo $! >"+pid+"; }; cat "+pid)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(lastLine(out))
	if err != nil || n <= 0 {
		return fmt.Errorf("simpleperf did not start: %s", lastLine(out))
	}
	s.sampler = strconv.Itoa(n)
	if err := s.Wait(ctx, pollInterval); err != nil {
		return err
	}
	if err := s.samples(ctx); err != nil {
		return err
	}
	if s.Attach {
		return nil
	}
	_, err = s.shell(ctx, "am", "start-activity", "-S", "-W", "-n", activity)
	return err
}

// samples returns an error with simpleperf's message if simpleperf does not run.
func (s *session) samples(ctx context.Context) error {
	_, err := s.shell(ctx, "kill", "-0", s.sampler)
	if err == nil || ctx.Err() != nil || Unreachable(err) {
		return err
	}
	out, _ := s.shell(ctx, "cat", s.samplerFile(".log"))
	return fmt.Errorf("simpleperf ended on the phone: %s", lastLine(out))
}

// stopSampling ends simpleperf, and waits until it has written its file.
func (s *session) stopSampling(ctx context.Context) error {
	if err := s.samples(ctx); err != nil {
		return err
	}
	alive := "kill -0 " + s.sampler + " 2>/dev/null"
	// The command also succeeds after simpleperf has ended, because it may be repeated.
	if _, err := s.script(ctx, "kill -INT "+s.sampler+" || ! "+alive); err != nil {
		return err
	}
	n := strconv.Itoa(int(writing / time.Second * 2))
	if _, err := s.script(ctx, "i=0; while "+alive+" && [ $i -lt "+n+" ]; do sleep 0.5; i=$((i+1)); done; ! "+alive); err != nil {
		if ctx.Err() != nil || Unreachable(err) {
			return err
		}
		return fmt.Errorf("simpleperf still writes its file after %v", writing)
	}
	s.sampling, s.sampler = false, ""
	for _, f := range []string{s.samplerFile(".pid"), s.samplerFile(".log")} {
		if err := s.remove(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// undoSampling returns commands that stop simpleperf and restore the compiler's property.
func (s *session) undoSampling() [][]string {
	var commands [][]string
	if s.sampling {
		commands = append(commands, []string{"sh", "-c", "kill -INT $(cat " + s.samplerFile(".pid") + ")"})
	}
	if s.property != nil {
		commands = append(commands, []string{"setprop", debugInfo, *s.property})
	}
	s.sampling, s.sampler, s.property = false, "", nil
	return commands
}

// undoCompile returns the commands that let Android choose again how the app is compiled.
func (s *session) undoCompile() [][]string {
	if !s.reset {
		return nil
	}
	s.reset, s.compiled = false, ""
	return [][]string{{"cmd", "package", "compile", "--reset", s.Package}}
}
