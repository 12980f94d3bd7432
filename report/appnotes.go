package report

import (
	"slices"

	"github.com/diffprof/diffprof/group"
	"github.com/diffprof/diffprof/report/words"
)

// groupSpread says what stands behind the figures of a group.
func groupSpread(g *group.Group) string {
	least, most := len(g.Members[0].Runs), 0
	for _, m := range g.Members {
		least, most = min(least, len(m.Runs)), max(most, len(m.Runs))
	}
	return words.GroupSpread(least, most)
}

// note adds what is to be known of the apps and their recordings.
func (r *AppGroup) note(g *group.Group) {
	add := func(code, message string) { r.Notes = append(r.Notes, Note{Code: code, Message: message}) }
	name := func(i int) string { return r.Apps[i].Name }
	for i := range r.Pairs {
		p := &r.Pairs[i]
		if o, _ := g.Overlap(p.A, p.B); o.Equal {
			add("equal-runs", words.GroupEqual(name(p.A), name(p.B)))
		}
	}
	for _, of := range r.oneApp() {
		names := make([]string, len(of))
		for i, app := range of {
			names[i] = name(app)
		}
		add("one-app", words.GroupOneApp(names))
	}
	for _, a := range r.Apps {
		if a.Others > 0 && a.Tasks == 0 {
			add("no-tasks", words.GroupNoTasks(a.Name))
		}
	}
	unranked, reasons := 0, make(map[string]int)
	for i := range r.Pairs {
		if p := &r.Pairs[i]; !p.Ranked {
			unranked++
			for _, code := range p.Unlike {
				reasons[code]++
			}
		}
	}
	if unranked > 0 {
		add("not-ranked", words.GroupUnranked(unranked, len(r.Pairs), reasons))
	}
	if g.Unkept > 0 {
		add("not-kept", words.GroupUnkept(g.Unkept, g.UnkeptWhy))
	}
}

// oneApp are the sets of apps that are runs of one app, as what ran tells, and that the list does
// not call versions of one.
func (r *AppGroup) oneApp() [][]int {
	set := make([]int, len(r.Apps))
	for i := range set {
		set[i] = i
	}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		a, b := &r.Apps[p.A], &r.Apps[p.B]
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
