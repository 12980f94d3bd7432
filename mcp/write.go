package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/diffprof/diffprof/report"
)

// addWriteTools adds the tools that write files.
func (s *Server) addWriteTools() {
	add(s, tool{name: "baseline", title: "Write a baseline", writes: true,
		description: "Compares as compare does and writes the findings to a baseline file, so that later gates leave them out."}, s.baseline)
	if s.o.Write.Record != nil {
		add(s, tool{name: "record", title: "Record an app on a phone", writes: true,
			description: "Records runs of an app on the connected Android phone into a folder of the workspace, by adb. With two APKs it records both builds in turn. The app is stopped and started."}, s.record)
	}
}

type baselineArgs struct {
	pairArgs
	Path      string `json:"path" jsonschema:"file to write, in the workspace"`
	Overwrite bool   `json:"overwrite,omitempty"`
}

// A WriteResult is the answer of a tool that wrote a file.
type WriteResult struct {
	Path     string `json:"path"`
	Findings int    `json:"findings"`
}

func (s *Server) baseline(ctx context.Context, req *sdk.CallToolRequest, a baselineArgs) (*WriteResult, error) {
	// Files named by the settings are inputs, so only files in the workspace may be written.
	path, err := s.files.path(a.Path, nil)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); err == nil && !a.Overwrite {
		return nil, fmt.Errorf("%s: %w; set overwrite to replace it", clean(a.Path), fs.ErrExist)
	}
	c, err := s.compared(reporting(ctx, req), a.pairArgs)
	if err != nil {
		return nil, err
	}
	made := report.NewBaseline(c.set)
	var data bytes.Buffer
	if err := made.WriteJSON(&data); err != nil {
		return nil, err
	}
	if err := replace(path, data.Bytes()); err != nil {
		return nil, fmt.Errorf("writing the baseline: %w", err)
	}
	return &WriteResult{s.files.displayPath(path), len(made.Findings)}, nil
}

// replace writes a file atomically.
func replace(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Chmod(0o644), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		// The caller gets the first error, not the error of Remove.
		_ = os.Remove(file.Name())
	}
	return err
}

type recordArgs struct {
	Package      string `json:"package" jsonschema:"application id, such as com.mine"`
	Folder       string `json:"folder" jsonschema:"folder for the recordings, in the workspace"`
	Seconds      int    `json:"seconds,omitempty" jsonschema:"length of a run; 30 by default"`
	Repeat       int    `json:"repeat,omitempty" jsonschema:"runs of each build; 1 by default"`
	SubjectAPK   string `json:"subjectApk,omitempty" jsonschema:"new build, recorded in turn with referenceApk"`
	ReferenceAPK string `json:"referenceApk,omitempty"`
}

// A RecordResult is the answer of the tool record.
type RecordResult struct {
	Folder  string `json:"folder"`
	Printed string `json:"printed" jsonschema:"what diffprof record printed"`
}

// Limits of a recording that a client starts.
const (
	maxSeconds = 600
	maxRuns    = 30
)

func (s *Server) record(ctx context.Context, _ *sdk.CallToolRequest, a recordArgs) (*RecordResult, error) {
	if a.Package == "" {
		return nil, errors.New("give package, the application id of the app")
	}
	if a.Seconds < 0 || a.Seconds > maxSeconds || a.Repeat < 0 || a.Repeat > maxRuns {
		return nil, fmt.Errorf("seconds must be at most %d and repeat at most %d", maxSeconds, maxRuns)
	}
	folder, err := s.files.path(a.Folder, nil)
	if err != nil {
		return nil, err
	}
	arguments := []string{"--package=" + a.Package, "--output=" + folder}
	if a.Seconds > 0 {
		arguments = append(arguments, "--for="+strconv.Itoa(a.Seconds)+"s")
	}
	if a.Repeat > 0 {
		arguments = append(arguments, "--repeat="+strconv.Itoa(a.Repeat))
	}
	for _, build := range []struct{ flag, apk string }{{"--subject-apk=", a.SubjectAPK}, {"--reference-apk=", a.ReferenceAPK}} {
		if build.apk == "" {
			continue
		}
		path, err := s.files.path(build.apk, nil)
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, build.flag+path)
	}
	printed, err := s.o.Write.Record(ctx, arguments)
	if err != nil {
		return nil, err
	}
	return &RecordResult{s.files.displayPath(folder), printed}, nil
}
