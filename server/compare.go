package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/client"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/runner"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// options returns the inputs and the options of a comparison.
func (s *session) options() analysis.Options {
	o := s.workspace.Options()
	o.Coverage = true
	o.Bundles = o.PowerModel != ""
	if o.Matching.Threads == 0 {
		// Leave one processor for concurrent requests.
		o.Matching.Threads = max(runtime.GOMAXPROCS(0)-1, 1)
	}
	return o
}

// compareNow starts a comparison of the traces in the settings.
func (s *session) compareNow() (*runner.Run, error) {
	o := s.options()
	if o.Subject.Path == "" || o.Reference.Path == "" {
		return nil, errNoTraces
	}
	s.scanSources()
	run := s.runner.Begin(o)
	shown := s.client.Show(run.Context(), fmt.Sprintf("diffprof/compare/%d", run.Number), "diffprof: comparing", run.Cancel, s.background.Go)
	o.Progress = func(stage string, done, total int64) { progress(shown, stage, done, total) }
	s.background.Go(func() {
		run.Do(func(ctx context.Context) (set *finding.Set, err error) {
			err = s.guard("comparing", func() error {
				set, err = s.compare(ctx, o)
				return err
			})
			return set, err
		}, func(set *finding.Set, err error) {
			s.announce(shown, set, err)
			if err == nil {
				s.background.Go(func() { s.followLines(run, set, o) })
			}
		})
	})
	return run, nil
}

// sourceWait limits how long a comparison waits for the sources. The classes and packages in the
// sources improve a comparison. If the sources are not read within this time, the comparison is
// repeated as soon as they are.
const sourceWait = 3 * time.Second

// awaitSources waits for the sources, at most sourceWait.
func (s *session) awaitSources(ctx context.Context, sources *workspace.Sources) error {
	late, stop := s.o.tick("sources", sourceWait)
	defer stop()
	err := sources.Await(ctx, late)
	if err == nil && !sources.Loaded() {
		s.beforeSources.Store(true)
		if sources.Loaded() {
			s.beforeSources.Store(false) // The load may have ended before early was set.
		}
	}
	return err
}

// compare runs a comparison that uses the classes declared in the workspace's sources.
func (s *session) compare(ctx context.Context, o analysis.Options) (*finding.Set, error) {
	sources := s.workspace.Sources()
	if err := s.awaitSources(ctx, sources); err != nil {
		return nil, err
	}
	// A snapshot passes open files to the index of the sources. Without it, the index may lack
	// unsaved files, and files that were opened while the index read the sources.
	if _, err := s.workspace.Snapshot(ctx); err != nil {
		return nil, err
	}
	for _, path := range []string{o.Subject.Path, o.Reference.Path} {
		// Reading a device or a pipe may never end.
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return nil, fmt.Errorf("%s is not a regular file", path)
		}
	}
	o.Classes = sources.Classes()
	// The index has already read the files in the workspace.
	o.Sources = slices.DeleteFunc(slices.Clone(o.Sources), s.workspace.Roots().Inside)
	r, err := s.o.compare(ctx, o)
	if err != nil {
		return nil, err
	}
	o.Progress("placing", 0, 1)
	set := s.judged(r, &o)
	set.Tasks() // Compute the tasks now, so that no request waits for them.
	return set, ctx.Err()
}

// A didCompareParams is the notification at the end of a comparison.
type didCompareParams struct {
	// Error is empty after success. After a failure the other fields are absent.
	Error     string `json:"error,omitempty"`
	Subject   string `json:"subject,omitempty"`
	Reference string `json:"reference,omitempty"`
	Alpha     int    `json:"alpha"`
	Tasks     int    `json:"tasks"`
	Unmatched int    `json:"unmatched"`
	// Unlike lists the differences between the recordings that make a comparison unreliable.
	Unlike []unlikeItem `json:"unlike"`
	// Pair and SettingsFile name the compared pair and its project file; both may be empty.
	Pair         string `json:"pair,omitempty"`
	SettingsFile string `json:"settingsFile,omitempty"`
	// Possible counts the unmatched tasks with a possible counterpart.
	Possible int `json:"perhaps"`
	// Matched is the matched part in words: "60 of 390 tasks matched, 22.0% of the energy".
	Matched string `json:"matched,omitempty"`
	// Sentences are the conclusion of the comparison, as in the report. Verdict is its one-word
	// form.
	Sentences []string        `json:"sentences,omitempty"`
	Verdict   finding.Verdict `json:"verdict,omitempty"`
	// Findings is the number of findings.
	Findings int `json:"findings"`
	// LittleInCommon is set if the runs have little in common. Differences are then not called
	// savings.
	LittleInCommon bool  `json:"littleInCommon"`
	EnergyNJ       int64 `json:"energyNJ"`
	// SavingNJ and SavingMostNJ are the lower and upper bound of the possible saving.
	SavingNJ     int64   `json:"savingNJ"`
	SavingMostNJ int64   `json:"savingMostNJ"`
	Outside      float64 `json:"outsideShare"`
}

// announce sends the client the result of a comparison.
func (s *session) announce(shown *client.Work, set *finding.Set, err error) {
	if s.o.notifying != nil {
		s.o.notifying()
	}
	switch {
	case err == nil:
		shown.End(words.NewHeadline(set, words.ScalePerFigure(set.Result.Unit(nil), set.Result.Voltage)).Verdict)
		s.client.Tell(lsp.MethodDidCompare, s.summary(set))
		s.workspace.Notified(set)
		s.background.Go(func() { s.runWork("noticing", func() error { s.notice(set); return nil }) })
	case errors.Is(err, runner.ErrReplaced), errors.Is(err, context.Canceled):
		shown.End("cancelled")
	default:
		shown.End("failed")
		s.workspace.SetFailure(s.failure(err))
		s.client.Notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{
			Type: protocol.MessageTypeError, Message: "Comparing failed: " + err.Error(),
		})
		s.client.Tell(lsp.MethodDidCompare, &didCompareParams{Error: err.Error()})
	}
}

// failure returns a comparison's error, and the setting that names the faulty file.
func (s *session) failure(err error) *workspace.Failure {
	o := s.workspace.Options()
	f, longest := &workspace.Failure{Message: err.Error()}, 0
	for setting, path := range map[string]string{
		"subject": o.Subject.Path, "reference": o.Reference.Path, "mappingSubject": o.Subject.Mapping, "mappingReference": o.Reference.Mapping,
		"flowsSubject": o.Subject.Flows, "flowsReference": o.Reference.Flows, "powerProfile": o.PowerProfile, "powerModel": o.PowerModel, "triggers": o.Triggers,
	} {
		// One path may be a prefix of another.
		if len(path) > longest && strings.Contains(f.Message, path) {
			f.Setting, longest = setting, len(path)
		}
	}
	return f
}

// beginComparing starts a comparison of the traces in the settings. The returned function waits for
// the end of the comparison and returns a summary. If the context of this function ends, the
// function cancels the comparison.
func (s *session) beginComparing() (rest, error) {
	run, err := s.compareNow()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		set, err := run.Wait(ctx)
		switch {
		case errors.Is(err, runner.ErrReplaced):
			return nil, jsonrpc2.NewError(lsp.CodeServerCancelled, err.Error())
		case err != nil:
			return nil, err
		}
		return s.summary(set), nil
	}, nil
}

// summary summarizes a comparison with the current settings.
func (s *session) summary(set *finding.Set) *didCompareParams {
	tasks, code := s.workspace.Hidden(set)
	return summarize(set, tasks, code, s.workspace.Project())
}

// An unlikeItem is one difference between the recordings that makes a comparison unreliable.
type unlikeItem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// summarize returns the notification for a finished comparison. tasks and code have the indices of
// the tasks and of the rows of app code that the settings ignore.
func summarize(set *finding.Set, tasks, code map[int]bool, project *workspace.Project) *didCompareParams {
	r := set.Result
	unlike := []unlikeItem{}
	for _, w := range r.Comparability {
		unlike = append(unlike, unlikeItem{w.Code, w.Message})
	}
	pair, file := "", ""
	if saved := &project.Saved; saved.Subject.Path == r.Subject.Path && saved.Reference.Path == r.Reference.Path {
		pair, file = saved.Pair, saved.SettingsFile
	}
	listed := set.Hide(tasks, code)
	h := listed.Headline()
	return &didCompareParams{
		Sentences: words.NewHeadline(listed, words.ScalePerFigure(r.Unit(project.Shown.Unit), r.Voltage)).Sentences(), Verdict: h.Verdict, Findings: h.Rows,
		Unlike: unlike, Pair: pair, SettingsFile: file,
		Subject: r.Subject.Path, Reference: r.Reference.Path, Alpha: r.Matching.Alpha,
		Tasks: r.Summary.Tasks, Unmatched: r.Summary.Unmatched, Possible: r.Summary.Possible,
		Matched: words.Matched(r), LittleInCommon: r.Summary.LittleInCommon(), EnergyNJ: int64(r.Subject.Energy),
		SavingNJ: int64(h.Savable.Least), SavingMostNJ: int64(h.Savable.Most), Outside: set.Share(r.Summary.OutsideEnergy),
	}
}
