package mcp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/settings"
	"github.com/diffprof/diffprof/units"
)

// addRunTools adds the tools about runs, without a comparison.
func (s *Server) addRunTools() {
	add(s, tool{name: "top", title: "List methods by energy",
		description: "Lists the methods, classes, packages or libraries of one run by energy, summed over all call paths. It judges nothing: compare says what is a finding."}, s.top)
	add(s, tool{name: "profile", title: "Energy by component",
		description: "Shows the energy of one run by component (processor, radio, display), with use and tail, and by thread. Components besides the processor need a power model."}, s.profile)
	add(s, tool{name: "noise", title: "How many runs are needed",
		description: "Reads repeated runs of one program and shows which difference they could detect, and how many runs on each side a smaller difference needs."}, s.noise)
	add(s, tool{name: "info", title: "Describe a recording",
		description: "Describes a recording: format, clocks, source of the energy, and what could not be used; or why it cannot be read and what to do."}, s.info)
}

// read reads runs of one side.
func (s *Server) read(ctx context.Context, req *sdk.CallToolRequest, names []string, change func(*settings.Settings) error) (*analysis.Input, *settings.Settings, error) {
	o, err := s.o.Source.Settings(ctx)
	if err != nil {
		return nil, nil, err
	}
	if change != nil {
		if err := change(&o); err != nil {
			return nil, nil, err
		}
	}
	if len(names) == 0 {
		if o, err = o.Selected(); err != nil {
			return nil, nil, err
		}
		if o.Subject.Path == "" {
			return nil, nil, errors.New("give run, the path of a recording")
		}
	} else {
		runs, err := s.files.runs(ctx, &o, names...)
		if err != nil {
			return nil, nil, err
		}
		if o.Subject.Path != runs[0] {
			o.Subject = analysis.Side{}
		}
		o.Subject.Path, o.Subject.Repeats = runs[0], runs[1:]
	}
	o.Progress = progressOf(reporting(ctx, req))
	in, err := analysis.Read(ctx, o.Options)
	return in, &o, err
}

type topArgs struct {
	paged
	Run  []string `json:"run,omitempty" jsonschema:"recordings of one program; without it the subject of diffprof.yaml"`
	By   string   `json:"by,omitempty" jsonschema:"method (default), line, class, package, library, thread or process"`
	Sort string   `json:"sort,omitempty" jsonschema:"self (default): energy of the method itself; all: with what it calls"`
	Own  bool     `json:"own,omitempty" jsonschema:"only the app's own code"`
}

// A Top is the answer of the tool top: the methods with the most energy.
type Top struct {
	Run  Side   `json:"run"`
	Unit string `json:"unit"`
	Rows []Use  `json:"rows"`
	page
}

// A Use is the energy of a method, or of a group of methods.
type Use struct {
	Method  string       `json:"method"`
	Owner   string       `json:"owner,omitempty"`
	Library string       `json:"library,omitempty"`
	SelfNJ  units.Energy `json:"selfNJ"`
	AllNJ   units.Energy `json:"allNJ"`
	Share   float64      `json:"allShare"`
	Calls   *int64       `json:"calls,omitempty"`
}

func (s *Server) top(ctx context.Context, req *sdk.CallToolRequest, a topArgs) (*Top, error) {
	grain, sort := finding.EachMethod, report.BySelf
	if a.By != "" {
		if !slices.Contains(finding.Grains(), a.By) {
			return nil, fmt.Errorf("by is %q: use one of %s", clean(a.By), strings.Join(finding.Grains(), ", "))
		}
		grain = finding.Grain(a.By)
	}
	switch a.Sort {
	case "", report.BySelf:
	case report.ByAll:
		sort = a.Sort
	default:
		return nil, fmt.Errorf("sort is %q: use self or all", clean(a.Sort))
	}
	in, _, err := s.read(ctx, req, a.Run, func(o *settings.Settings) error {
		o.Lines = grain == finding.EachLine
		return nil
	})
	if err != nil {
		return nil, err
	}
	var keep func(*finding.MethodUse) bool
	if a.Own {
		keep = func(u *finding.MethodUse) bool { return u.Own }
	}
	inputs := []*analysis.Input{in}
	made := report.NewTop(finding.ByGrain(grain, inputs...), inputs, s.o.Version, report.TopOptions{Sort: sort, Grain: grain, Keep: keep, Method: -1})
	out := &Top{Run: s.side(&made.Subject), Unit: made.Subject.Unit}
	out.Rows, out.page, err = fill(s, a.paged, fmt.Sprint(a.Run, grain, sort, a.Own), out, len(made.Rows), func(i int) Use {
		r := &made.Rows[i]
		return Use{r.Method, r.Owner, r.Library, r.Subject.Exclusive, r.Subject.Inclusive, r.Subject.InclusiveShare, r.Subject.Calls}
	})
	return out, err
}

type profileArgs struct {
	Run        []string `json:"run,omitempty" jsonschema:"one recording; without it the subject of diffprof.yaml"`
	PowerModel string   `json:"powerModel,omitempty" jsonschema:"name of a power model, such as lte or wifi, or a file"`
}

// A Profile is the answer of the tool profile: energy by component and by thread.
type Profile struct {
	Run        Side               `json:"run"`
	Unit       string             `json:"unit"`
	Components []report.Component `json:"components"`
	Threads    []Thread           `json:"threads"`
	Model      string             `json:"powerModel,omitempty"`
	Warnings   []string           `json:"warnings,omitempty"`
}

// A Thread is the energy of a thread.
type Thread struct {
	Name     string       `json:"name"`
	EnergyNJ units.Energy `json:"energyNJ"`
}

// maxThreads limits the threads of a profile.
const maxThreads = 12

func (s *Server) profile(ctx context.Context, req *sdk.CallToolRequest, a profileArgs) (*Profile, error) {
	in, o, err := s.read(ctx, req, a.Run, func(o *settings.Settings) error {
		if a.PowerModel == "" {
			return nil
		}
		// Names of built-in models are plain words. Any other text is a file.
		if strings.ContainsAny(a.PowerModel, `./\`) {
			path, err := s.files.path(a.PowerModel, o)
			if err != nil {
				return fmt.Errorf("powerModel: %w", err)
			}
			a.PowerModel = path
		}
		changed, err := o.WithFlag("powerModel", a.PowerModel)
		if err != nil {
			return fmt.Errorf("powerModel: %w", err)
		}
		*o = changed
		return nil
	})
	if err != nil {
		return nil, err
	}
	made := report.NewProfile(in, s.o.Version, report.ProfileOptions{By: finding.EachThread, Sort: report.ByAll, Battery: o.Battery, Voltage: o.Voltage})
	out := &Profile{Run: s.side(&made.Input), Unit: made.Input.Unit, Components: made.Components, Threads: []Thread{}, Warnings: notesOf(made.Warnings)}
	if out.Components == nil {
		out.Components = []report.Component{}
	}
	if m := made.Input.Model; m != nil {
		out.Model = m.Title
	}
	for i := range made.Threads[:min(maxThreads, len(made.Threads))] {
		out.Threads = append(out.Threads, Thread{made.Threads[i].Method, made.Threads[i].Inclusive})
	}
	return out, nil
}

type noiseArgs struct {
	paged
	Runs   []string `json:"runs" jsonschema:"two or more recordings of one program: files, patterns or folders"`
	Sought float64  `json:"sought,omitempty" jsonschema:"difference to plan for, in percent; 10 by default"`
}

// A Noise is the answer of the tool noise: how much repeated runs vary.
type Noise struct {
	Runs   int         `json:"runs"`
	Sought float64     `json:"soughtPercent"`
	Total  TaskNoise   `json:"wholeRun"`
	Rows   []TaskNoise `json:"rows" jsonschema:"tasks, those that use most first"`
	page
}

// A TaskNoise describes the variation of a task from run to run.
type TaskNoise struct {
	Method    string   `json:"method,omitempty"`
	Deviation float64  `json:"deviationPercent" jsonschema:"relative standard deviation of the energy between runs"`
	Least     *float64 `json:"leastPercent,omitempty" jsonschema:"smallest growth that a comparison with this number of runs on each side would show"`
	Needed    int      `json:"runsNeeded" jsonschema:"runs on each side that would show the sought difference; 0 if more than 1000"`
}

func (s *Server) noise(ctx context.Context, req *sdk.CallToolRequest, a noiseArgs) (*Noise, error) {
	if a.Sought == 0 {
		a.Sought = 10
	}
	if !(a.Sought > 0 && a.Sought <= 1000) {
		return nil, errors.New("sought must be a percentage above 0, such as 5")
	}
	in, o, err := s.read(ctx, req, a.Runs, nil)
	if err != nil {
		return nil, err
	}
	if len(in.Runs) < 2 {
		return nil, fmt.Errorf("%s is one run: give two or more runs of one program", s.files.displayPath(in.Path))
	}
	made := report.NewNoise(in, s.o.Version, a.Sought/100, o.Builds, 0)
	varying := func(r *report.NoisyRow) TaskNoise {
		v := TaskNoise{Method: r.Method, Deviation: percent(r.Deviation), Needed: r.Needed}
		if r.Least != nil {
			least := percent(*r.Least)
			v.Least = &least
		}
		return v
	}
	out := &Noise{Runs: len(in.Runs), Sought: a.Sought, Total: varying(&made.Total)}
	out.Rows, out.page, err = fill(s, a.paged, fmt.Sprint(a.Runs, a.Sought), out, len(made.Tasks), func(i int) TaskNoise { return varying(&made.Tasks[i]) })
	return out, err
}

// percent converts a fraction to a percentage with two decimals.
func percent(part float64) float64 { return math.Round(10_000*part) / 100 }

type infoArgs struct {
	Files []string `json:"files" jsonschema:"recordings, or folders of runs"`
}

// An Info is the answer of the tool info, which describes recordings.
type Info struct {
	Files []FileInfo `json:"files"`
}

// A FileInfo describes a file.
type FileInfo struct {
	Path       string       `json:"path"`
	Format     string       `json:"format,omitempty"`
	Technique  string       `json:"technique,omitempty"`
	Clock      string       `json:"clock,omitempty"`
	Calls      string       `json:"calls,omitempty"`
	EnergyNJ   units.Energy `json:"energyNJ,omitempty"`
	EnergyFrom string       `json:"energyFrom,omitempty"`
	Events     int64        `json:"events,omitempty"`
	CPUTimeNS  int64        `json:"cpuTimeNS,omitempty"`
	WallTimeNS int64        `json:"wallTimeNS,omitempty"`
	Warnings   []string     `json:"warnings,omitempty"`
	Problem    string       `json:"problem,omitempty" jsonschema:"why the file cannot be read"`
	Advice     string       `json:"advice,omitempty"`
}

// maxFiles limits the files that one call describes.
const maxFiles = 10

func (s *Server) info(ctx context.Context, req *sdk.CallToolRequest, a infoArgs) (*Info, error) {
	if len(a.Files) == 0 {
		return nil, errors.New("give files, the paths of recordings")
	}
	if len(a.Files) > maxFiles {
		return nil, fmt.Errorf("%d files are too many for one call: give at most %d", len(a.Files), maxFiles)
	}
	o, err := s.o.Source.Settings(ctx)
	if err != nil {
		return nil, err
	}
	known, err := analysis.Platform(o.Options)
	if err != nil {
		return nil, err
	}
	out := &Info{Files: []FileInfo{}}
	for _, text := range a.Files {
		path, err := s.files.path(text, &o)
		if err != nil {
			return nil, err
		}
		o.Subject = analysis.Side{Path: path}
		o.Progress = progressOf(reporting(ctx, req))
		o.APICosts, o.APIGuess, o.APICompat = "", false, "" // The recording is described without these options.
		in, err := analysis.ReadFile(ctx, o.Options)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out.Files = append(out.Files, s.fileInfo(report.NewFile(path, in, err, known)))
	}
	return out, nil
}

// fileInfo returns the answer for a file.
func (s *Server) fileInfo(f report.File) FileInfo {
	out := FileInfo{Path: s.files.displayPath(f.Path)}
	switch {
	case f.Recording != nil:
		in := &f.Recording.Input
		out.Format, out.Technique, out.Clock, out.Calls = in.Format, in.Technique, in.Clock, in.Calls
		out.EnergyNJ, out.EnergyFrom, out.Events = in.Energy, in.EnergyFrom, in.Events
		out.CPUTimeNS, out.WallTimeNS, out.Warnings = in.CPUTime, in.WallTime, notesOf(f.Recording.Warnings)
	case f.Problem != nil:
		out.Problem, out.Advice = f.Problem.Message, f.Problem.Hint
	}
	return out
}
