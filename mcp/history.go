package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/git"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/report"
)

func (s *Server) addHistoryTools() {
	add(s, tool{name: "history_blame", title: "Find the commit that changed a cost",
		description: "Names the commit of the history from which a method, a task or the whole run costs more or less, with the confidence, and what to measure next. The history contains the runs that diffprof history add stored."}, s.blame)
}

type blameArgs struct {
	What     string `json:"what,omitempty" jsonschema:"a method such as Feed.refresh, or the id of a task; if left out, everything that changed is listed"`
	Device   string `json:"device,omitempty"`
	Scenario string `json:"scenario,omitempty"`
	App      string `json:"app,omitempty"`
}

// A Blame is the answer of the tool history_blame.
type Blame struct {
	Entries int       `json:"entries" jsonschema:"number of measured commits"`
	Judged  int       `json:"judged" jsonschema:"number of series that were tested together"`
	Changed int       `json:"changed"`
	Series  []Changed `json:"series"`
	Notes   []string  `json:"warnings,omitempty"`
}

// A Changed is a method, a task or the whole run in the history.
type Changed struct {
	Kind    string   `json:"kind"`
	Method  string   `json:"method,omitempty"`
	ID      string   `json:"id,omitempty"`
	Verdict string   `json:"verdict" jsonschema:"whether and where the cost changed, in a sentence"`
	Commit  string   `json:"commit,omitempty" jsonschema:"the first measured commit after the last change"`
	Before  string   `json:"commitBefore,omitempty" jsonschema:"the measured commit before commit"`
	Next    []string `json:"next,omitempty" jsonschema:"what to measure next"`
}

// maxSeries bounds the series of an answer.
const maxSeries = 20

func (s *Server) blame(ctx context.Context, req *sdk.CallToolRequest, a blameArgs) (*Blame, error) {
	o, err := s.o.Source.Settings(ctx)
	if err != nil {
		return nil, err
	}
	store, err := history.Open(ctx, o.History)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	entries, err := store.List(ctx, history.Filter{Device: a.Device, Scenario: a.Scenario, App: a.App})
	if err != nil {
		return nil, err
	}
	o.Progress = progressOf(reporting(ctx, req))
	t, err := trend.Read(ctx, entries, o.Options)
	if err != nil {
		return nil, err
	}
	bisect := func(ctx context.Context, good, bad string) (*git.Bisection, error) {
		return git.Bisect(ctx, s.o.Folders[0], good, bad)
	}
	var made *report.Trend
	if a.What == "" {
		var listed []*trend.Series
		if made, listed = report.NewBlame(t, s.o.Version, t.All(), maxSeries); len(listed) > 0 {
			made.SetNext(0, t.Next(ctx, listed[0], bisect))
		}
	} else {
		found, err := t.Find(a.What)
		if err != nil {
			return nil, err
		}
		made = report.NewTrend(t, s.o.Version, found)
		made.SetNext(0, t.Next(ctx, found, bisect))
	}
	out := &Blame{Entries: len(made.Entries), Judged: made.Judged, Changed: made.Changed, Series: []Changed{}, Notes: notesOf(made.Warnings)}
	scale := made.Scale(report.Options{})
	for i := range made.Series {
		one := &made.Series[i]
		c := Changed{Kind: one.Kind, Method: one.Method, ID: one.ID, Verdict: made.Verdict(one, scale), Next: made.Advice(one)}
		if n := len(one.Changes); n > 0 {
			last := &one.Changes[n-1]
			c.Commit = made.Entries[last.Entry].Name
			if last.Earliest > 0 {
				c.Before = made.Entries[last.Earliest-1].Name
			}
		}
		out.Series = append(out.Series, c)
	}
	return out, nil
}
