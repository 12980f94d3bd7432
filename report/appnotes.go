package report

import (
	"slices"

	"github.com/diffprof/diffprof/group"
	"github.com/diffprof/diffprof/report/words"
)

// groupSpread describes how many runs each app has.
func groupSpread(g *group.Group) string {
	least, most := len(g.Members[0].Runs), 0
	for _, m := range g.Members {
		least, most = min(least, len(m.Runs)), max(most, len(m.Runs))
	}
	return words.GroupSpread(least, most)
}

// note adds notes about the apps and their recordings.
func (g *AppGroup) note(made *group.Group) {
	add := func(code, message string) { g.Notes = append(g.Notes, Note{Code: code, Message: message}) }
	name := func(i int) string { return g.Apps[i].Name }
	for i := range g.Pairs {
		p := &g.Pairs[i]
		if o, _ := made.Overlap(p.A, p.B); o.Equal {
			add("equal-runs", words.GroupEqual(name(p.A), name(p.B)))
		}
	}
	for _, one := range g.oneApp() {
		names := make([]string, len(one))
		for i, app := range one {
			names[i] = name(app)
		}
		add("one-app", words.GroupOneApp(names))
	}
	for _, a := range g.Apps {
		if a.Others > 0 && a.Tasks == 0 {
			add("no-tasks", words.GroupNoTasks(a.Name))
		}
	}
	unranked, reasons := 0, make(map[string]int)
	for i := range g.Pairs {
		if p := &g.Pairs[i]; !p.Ranked {
			unranked++
			for _, code := range p.Unlike {
				reasons[code]++
			}
		}
	}
	if unranked > 0 {
		add("not-ranked", words.GroupUnranked(unranked, len(g.Pairs), reasons))
	}
	if made.Unsaved > 0 {
		add("not-kept", words.GroupUnsaved(made.Unsaved, made.UnsavedReason))
	}
}

// oneApp finds apps of the group that ran the same code. Each set of indices is one app. It skips
// pairs that have the same app name in the user's list.
func (g *AppGroup) oneApp() [][]int {
	set := make([]int, len(g.Apps))
	for i := range set {
		set[i] = i
	}
	for i := range g.Pairs {
		p := &g.Pairs[i]
		a, b := &g.Apps[p.A], &g.Apps[p.B]
		if !p.OneApp || a.App != "" && a.App == b.App {
			continue
		}
		from, to := set[p.B], set[p.A]
		for k := range set {
			if set[k] == from {
				set[k] = to
			}
		}
	}
	members := make(map[int][]int)
	for i, s := range set {
		members[s] = append(members[s], i)
	}
	var found [][]int
	for i := range set {
		if len(members[i]) > 1 {
			found = append(found, members[i])
		}
	}
	slices.SortFunc(found, slices.Compare)
	return found
}
