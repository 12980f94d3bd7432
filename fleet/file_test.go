package fleet_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/simulation"
	"github.com/diffprof/diffprof/fleet/sums"
)

// small returns a small fleet.
func small(t *testing.T) *fleet.Fleet {
	t.Helper()
	made := simulation.New(simulation.Options{Seed: 5, Clients: 80, Apps: 30, Hogs: 3, Innocent: 4, Bugs: 3, Days: 4})
	o := fleet.Defaults()
	o.Method, o.Rate, o.BugRate, o.MinClients = fleet.Paper, 0.125, 0.0625, 7
	f, err := fleet.Analyze(t.Context(), made.Set(nil, 7), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestClaimFromAFile reads the claim about an app from a fleet in a file: about a named app, and
// about the only one of several names that ran.
func TestClaimFromAFile(t *testing.T) {
	f := small(t)
	path := filepath.Join(t.TempDir(), "fleet.zst")
	if err := os.WriteFile(path, bytesOf(t, f), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := fleet.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if o := again.Options; o.Method != fleet.Paper || o.Rate != 0.125 || o.BugRate != 0.0625 || o.MinClients != 7 || o.H != f.H {
		t.Errorf("options %+v, want %+v", o, f.Options)
	}
	var ran []string
	f.Sums.Each("ran", func(rest []string, _ *sums.Row) {
		if len(rest) == 1 && f.Ran(rest[0]) {
			ran = append(ran, rest[0])
		}
	})
	if len(ran) < 2 {
		t.Fatalf("%d apps ran", len(ran))
	}
	want, err := f.Claim(ran[0])
	if err != nil || want == nil {
		t.Fatal(want, err)
	}
	for _, c := range []struct {
		name, app string
		names     []string
		err       string
	}{
		{name: "a named app", app: ran[0]},
		{name: "a named app among others", app: ran[0], names: ran[1:]},
		{name: "one of several", names: []string{"com.none", ran[0]}},
		{name: "a named app that did not run", app: "com.none", err: "fewer than 5 clients of " + path + " have two samples in a row with com.none"},
		{name: "none of several", names: []string{"com.none"}, err: "no app of " + path + " matches the recording: name the app with --fleet-app, or fleetApp in diffprof.yaml"},
		{name: "two", names: ran[:2], err: "the recording may be from " + ran[0] + " or " + ran[1] + ": name the app with --fleet-app, or fleetApp in diffprof.yaml"},
	} {
		got, err := fleet.ReadClaim(path, c.app, c.names)
		switch {
		case c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: %v, want %s", c.name, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case got.App != want.App || got.Clients != want.Clients || got.Drain != want.Drain:
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
	if _, err := fleet.ReadClaim(path+"x", "", nil); !os.IsNotExist(err) {
		t.Errorf("of no file: %v", err)
	}
}

// packed compresses a text like a fleet's file.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll([]byte(text), nil)
}

// TestDamagedFiles reads files that are not fleets of this version.
func TestDamagedFiles(t *testing.T) {
	const (
		other   = "this is not a fleet that diffprof wrote; diffprof fleet analyze DIR -o FILE makes one"
		version = "another version of diffprof wrote this fleet; diffprof fleet analyze makes it again from the samples"
		again   = "; make the file again"
	)
	z, err := zstd.NewReader(bytes.NewReader(bytesOf(t, small(t))))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(b.String(), "\n")
	fields := strings.Split(head, "\t")
	with := func(field int, value string) []byte {
		changed := append([]string(nil), fields...)
		changed[field] = value
		return packed(t, strings.Join(changed, "\t")+"\n"+rest)
	}
	for _, c := range []struct {
		name string
		data []byte
		want string // a part of the error
	}{
		{"as written", packed(t, b.String()), ""},
		{"text", []byte("app,time\n"), other},
		{"empty", nil, other},
		{"one line", packed(t, head), other},
		{"another text", packed(t, "app,time\na,1\n"), other},
		{"fewer options", packed(t, strings.Join(fields[:8], "\t")+"\n"), other},
		{"another version", with(0, "diffprof fleet 1"), version},
		{"no method", with(1, "none"), again},
		{"no number of hours", with(2, "x"), again},
		{"no rate", with(4, "x"), again},
		{"no rate of bugs", with(5, "x"), again},
		{"no clients", with(6, "x"), again},
		{"no key", with(8, "x"), again},
		{"no sums", packed(t, head+"\nran\n"), "line"},
	} {
		_, err := fleet.Read(bytes.NewReader(c.data))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	path := filepath.Join(t.TempDir(), "fleet.zst")
	if err := os.WriteFile(path, packed(t, "app\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := fleet.Open(path); err == nil || err.Error() != path+": "+other {
		t.Errorf("opened: %v", err)
	}
}

// TestSharesThatDoNotFit checks the errors for stages in a wrong order, and for shares of different
// flags, features or client keys.
func TestSharesThatDoNotFit(t *testing.T) {
	made := simulation.New(simulation.Options{Seed: 3, Clients: 40, Apps: 20, Hogs: 2, Innocent: 2, Bugs: 2, Days: 3})
	o := fleet.Defaults()
	set := func() *samples.Set { return made.Set(nil, made.Clients) }
	start := func(o fleet.Options) *fleet.Fleet {
		f, err := fleet.New(o, simulation.Features)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	share := func(f *fleet.Fleet, stage string) *sums.Table {
		table, err := f.Share(t.Context(), set(), stage, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.WriteShare(&b, stage, table); err != nil {
			t.Fatal(err)
		}
		sum := sums.New()
		if err := sum.Read(&b); err != nil {
			t.Fatal(err)
		}
		return sum
	}
	fails := func(what string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	first := start(o)
	stages := first.Stages()
	_, err := first.Share(t.Context(), set(), stages[1], nil)
	fails("the second stage first", err, "stage "+stages[1]+": the sums of stage "+stages[0]+" are missing: give the state of that stage with --state")
	_, err = fleet.Merge(nil, sums.New())
	fails("no share", err, "this is not an output of fleet partial")
	two := share(start(o), stages[0])
	unlike := o
	unlike.MinClients++
	two.Merge(share(start(unlike), stages[0]))
	_, err = fleet.Merge(nil, two)
	fails("two flags", err, "the sums come from different stages or different flags: use the same command for all of them")

	state, err := fleet.Merge(nil, share(start(o), stages[0]))
	if err != nil {
		t.Fatal(err)
	}
	_, err = fleet.Merge(state, share(start(o), stages[0]))
	fails("a stage again", err, "the sums belong to stage "+stages[0]+", but the next stage is "+stages[1]+": give the --state with all earlier stages")
	_, err = fleet.Merge(start(unlike), share(start(o), stages[0]))
	fails("a state of other flags", err, "the sums and the state were made with different flags: use the same flags for both")
	keyed := set()
	keyed.Mark++
	_, err = state.Share(t.Context(), keyed, stages[1], nil)
	fails("another key", err, "the client hashes use another key than the earlier stages: give the same --key")
	fewer := set()
	fewer.Features = fewer.Features[1:]
	_, err = state.Share(t.Context(), fewer, stages[1], nil)
	fails("fewer features", err, "give the same columns, --feature and --map")

	for _, stage := range stages[1:] {
		if state, err = fleet.Merge(state, share(state, stage)); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := fleet.Analyze(t.Context(), set(), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesOf(t, state), bytesOf(t, whole)) {
		t.Error("merged stages give other bytes than the whole")
	}
	_, err = fleet.Merge(state, share(start(o), stages[0]))
	fails("all stages", err, "the state already has the sums of all stages")
	_, err = state.Share(t.Context(), set(), stages[0], nil)
	fails("all stages done", err, "all stages are done")
}
