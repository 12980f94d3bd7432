// Command release creates all packages of a version: an archive of the program for each platform,
// the extension for Visual Studio Code, the page that compares in the browser, a list of the
// components of the program (SBOM), a Homebrew formula, a Scoop manifest, the inputs of a
// container, and the checksums of all of these. `make release` runs it.
//
// All packages are created on one machine, because the program needs no C compiler. The same commit
// always gives the same bytes. No file contains the time or the path of the build.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A platform is an operating system and a processor, by their names in Go and in Visual Studio
// Code.
type platform struct {
	goos, goarch string
	// vscode are the targets of the extension. The program is static, so the program for Linux also
	// runs on Alpine.
	vscode []string
}

var platforms = []platform{
	{"linux", "amd64", []string{"linux-x64", "alpine-x64"}},
	{"linux", "arm64", []string{"linux-arm64", "alpine-arm64"}},
	{"darwin", "amd64", []string{"darwin-x64"}},
	{"darwin", "arm64", []string{"darwin-arm64"}},
	{"windows", "amd64", []string{"win32-x64"}},
	{"windows", "arm64", []string{"win32-arm64"}},
}

func (p platform) program() string {
	if p.goos == "windows" {
		return "diffprof.exe"
	}
	return "diffprof"
}

// A release is the state of creating a release.
type release struct {
	// version is the commit's version without a leading v.
	version string
	// date is the commit's date.
	date time.Time
	// out is the folder of the packages. work is the folder of their inputs.
	out, work string
}

func main() {
	out := flag.String("out", "build/release", "the `FOLDER` for the packages; what is in it is removed")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	r, err := begin(out)
	if err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	parts, err := r.parts()
	if err != nil {
		return err
	}
	if err := r.write("diffprof.cdx.json", func() ([]byte, error) { return bom(parts, r.version, r.date) }); err != nil {
		return err
	}
	documents, err := documents(parts)
	if err != nil {
		return err
	}
	for _, p := range platforms {
		program, err := r.build(p)
		if err != nil {
			return err
		}
		if err := r.archive(p, program, documents); err != nil {
			return err
		}
		if err := r.extensions(p, program); err != nil {
			return err
		}
	}
	if err := quiet(exec.Command("./web/site/build.sh", filepath.Join(r.out, "diffprof-"+r.version+".html"))); err != nil {
		return err
	}
	if err := r.manifests(); err != nil {
		return err
	}
	return r.sums()
}

// begin empties the folder and gets the version from git.
func begin(out string) (*release, error) {
	described, err := output("git", "describe", "--tags", "--always", "--dirty")
	if err != nil {
		return nil, err
	}
	date, err := output("git", "log", "-1", "--format=%ct")
	if err != nil {
		return nil, err
	}
	seconds, err := strconv.ParseInt(date, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the commit's date: %w", err)
	}
	if out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o777)); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "diffprof-release")
	if err != nil {
		return nil, err
	}
	return &release{version: strings.TrimPrefix(described, "v"), date: time.Unix(seconds, 0).UTC(), out: out, work: work}, nil
}

// build builds the program for a platform and returns its path.
func (r *release) build(p platform) (string, error) {
	path := filepath.Join(r.work, p.goos+"-"+p.goarch, p.program())
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X main.version="+r.version, "-o", path, "./cmd/diffprof")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.goos, "GOARCH="+p.goarch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=")
	return path, quiet(cmd)
}

// archive packs the program with its documents.
func (r *release) archive(p platform, program string, documents []file) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	folder := r.folder(p)
	files := []file{{name: folder + "/" + p.program(), content: content, program: true}}
	for _, d := range documents {
		d.name = folder + "/" + d.name
		files = append(files, d)
	}
	return r.write(r.archiveName(p), func() ([]byte, error) {
		if p.goos == "windows" {
			return zipped(files, r.date)
		}
		return tarred(files, r.date)
	})
}

func (r *release) folder(p platform) string {
	return fmt.Sprintf("diffprof-%s-%s-%s", r.version, p.goos, p.goarch)
}

func (r *release) archiveName(p platform) string {
	if p.goos == "windows" {
		return r.folder(p) + ".zip"
	}
	return r.folder(p) + ".tar.gz"
}

// extensions makes the packages of the extension that contain a platform's program.
func (r *release) extensions(p platform, program string) error {
	for _, target := range p.vscode {
		cmd := exec.Command("./vscode-extension/build.sh")
		cmd.Env = append(os.Environ(), "DIFFPROF="+program, "TARGET="+target, "OUT="+r.out, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
		if err := quiet(cmd); err != nil {
			return err
		}
	}
	return nil
}

// write makes a file in the folder of the packages.
func (r *release) write(name string, content func() ([]byte, error)) error {
	data, err := content()
	if err != nil {
		return fmt.Errorf("making %s: %w", name, err)
	}
	return os.WriteFile(filepath.Join(r.out, name), data, 0o666)
}

// output returns the output of a program, on one line.
func output(name string, arguments ...string) (string, error) {
	out, err := exec.Command(name, arguments...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
		}
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return string(bytes.TrimSpace(out)), nil
}

// quiet runs a program and prints its output only if it fails.
func quiet(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, bytes.TrimSpace(out))
	}
	return nil
}
