package pprof_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/diffprof/diffprof/ingest/pprof"
)

// TestDependencies checks which packages are in a dependency, by the paths of their source files.
func TestDependencies(t *testing.T) {
	const cache = "/home/me/go/pkg/mod/"
	for _, tt := range []struct {
		name  string
		files map[string]string // files maps functions to their source files.
		want  map[string]string
	}{
		{
			"module cache",
			map[string]string{
				"main.main":                                 "/home/me/app/main.go",
				"example.com/app/internal/feed.Read":        "/home/me/app/internal/feed/feed.go",
				"go.uber.org/zap.(*Logger).Info":            cache + "go.uber.org/zap@v1.27.0/logger.go",
				"go.uber.org/zap/zapcore.(*ioCore).Write":   cache + "go.uber.org/zap@v1.27.0/zapcore/core.go",
				"github.com/jackc/pgx/v5/pgconn.Connect":    cache + "github.com/jackc/pgx/v5@v5.5.0/pgconn/pgconn.go",
				"github.com/Masterminds/semver/v3.Parse":    cache + "github.com/!masterminds/semver/v3@v3.2.1/version.go",
				"net/http.(*conn).serve":                    "/usr/local/go/src/net/http/server.go",
				"runtime.memmove":                           "/usr/local/go/src/runtime/memmove_amd64.s",
				"vendor/golang.org/x/net/http/httpguts.Is":  "/usr/local/go/src/vendor/golang.org/x/net/http/httpguts/guts.go",
				"golang.org/x/sync/errgroup.(*Group).Go":    `C:\Users\me\go\pkg\mod\golang.org\x\sync@v0.7.0\errgroup\errgroup.go`,
				"github.com/tool/with/no/file.Function":     "",
				"example.com/app/router.New.NewMux.func3":   cache + "github.com/go-chi/chi/v5@v5.2.2/mux.go",
				"example.com/app/router.New":                "/home/me/app/router/router.go",
				"github.com/local/replaced/by/folder.Parse": "/home/me/replaced/by/folder/parse.go",
			},
			map[string]string{
				"go.uber.org/zap": "go.uber.org/zap", "go.uber.org/zap/zapcore": "go.uber.org/zap",
				"github.com/jackc/pgx/v5/pgconn":   "github.com/jackc/pgx/v5",
				"github.com/Masterminds/semver/v3": "github.com/Masterminds/semver/v3",
				"golang.org/x/sync/errgroup":       "golang.org/x/sync",
			},
		},
		{
			"built with -trimpath",
			map[string]string{
				"example.com/app/feed.Read":           "example.com/app/feed/feed.go",
				"github.com/cespare/xxhash/v2.Sum64":  "github.com/cespare/xxhash/v2@v2.3.0/xxhash.go",
				"strings.(*Builder).WriteString":      "strings/builder.go",
				"golang.org/x/exp/maps.Keys[go.shape": "golang.org/x/exp@v0.0.0-20240506185415-9bf2ced13842/maps/maps.go",
			},
			map[string]string{"github.com/cespare/xxhash/v2": "github.com/cespare/xxhash/v2", "golang.org/x/exp/maps": "golang.org/x/exp"},
		},
		{
			"vendor folder",
			map[string]string{
				"main.run":                            "/src/app/main.go",
				"github.com/go-chi/chi/v5.(*Mux).get": "/src/app/vendor/github.com/go-chi/chi/v5/mux.go",
			},
			map[string]string{"github.com/go-chi/chi/v5": "github.com/go-chi/chi/v5"},
		},
		{
			"the program is in the module cache",
			map[string]string{
				"main.main":                      cache + "example.com/tool@v1.4.0/cmd/tool/main.go",
				"example.com/tool/internal/x.Do": cache + "example.com/tool@v1.4.0/internal/x/x.go",
				"go.uber.org/zap.(*Logger).Info": cache + "go.uber.org/zap@v1.27.0/logger.go",
			},
			map[string]string{"go.uber.org/zap": "go.uber.org/zap"},
		},
		{
			"all code is in the module cache",
			map[string]string{
				"example.com/tool/internal/x.Do": cache + "example.com/tool@v1.4.0/internal/x/x.go",
				"go.uber.org/zap.(*Logger).Info": cache + "go.uber.org/zap@v1.27.0/logger.go",
				"net.(*conn).Read":               "/usr/local/go/src/net/net.go",
				"io.ReadAll":                     "io/io.go",
			},
			nil,
		},
		{"another language", map[string]string{"run": "/site-packages/x@v1/job.py", "a::b": "/x@v2/lib.rs"}, nil},
	} {
		p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}}}
		for name, file := range tt.files {
			fn := &profile.Function{ID: uint64(len(p.Function)) + 1, Name: name, Filename: file}
			l := &profile.Location{ID: fn.ID, Line: []profile.Line{{Function: fn}}}
			p.Function, p.Location = append(p.Function, fn), append(p.Location, l)
			p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: []int64{1}})
		}
		tr, _, err := decode(bytesOf(t, p), pprof.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(tr.Dependencies, tt.want) {
			t.Errorf("%s: got  %v\nwant %v", tt.name, tr.Dependencies, tt.want)
		}
	}
}

// TestHeapSamples checks the number of samples behind the values of a heap profile. Go scales the
// values: an allocation of size s was sampled with the probability 1 − exp(−s/rate).
func TestHeapSamples(t *testing.T) {
	const rate = 512 << 10
	for _, tt := range []struct {
		objects, space, rate int64
		want                 int64
	}{
		{1, 64 << 20, rate, 1},                // A large allocation is always sampled.
		{20, 20 * 64 << 20, rate, 20},         // Each of them is a sample.
		{6554, 524_328, rate, 1},              // One sample of 80 bytes has the value of the rate.
		{10 * 6554, 10 * 524_328, rate, 10},   // So ten have ten times as much.
		{3, 3 * rate, rate, 2},                // An allocation of the rate is sampled in 63 % of cases.
		{1, 16, rate, 1},                      // A value comes from at least one sample.
		{0, 0, rate, 0},                       // All memory was freed.
		{1000, 16_000, 1, 1000},               // With the rate 1, each allocation is sampled.
		{1_000_000, 16_000_000, 1, 1_000_000}, // There are no more samples than allocations.
	} {
		for _, kinds := range [][2]string{{"alloc_objects", "alloc_space"}, {"inuse_objects", "inuse_space"}, {"objects", "space"}} {
			p := &profile.Profile{
				SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: kinds[0], Unit: "count"}, {Type: kinds[1], Unit: "bytes"}},
				PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Period: tt.rate,
				Sample: []*profile.Sample{{Value: []int64{77, tt.objects, tt.space}}},
			}
			for i, asked := range kinds {
				tr, c, err := decode(bytesOf(t, p), pprof.Options{SampleType: asked})
				if err != nil {
					t.Fatal(err)
				}
				want := []string{kinds[0], kinds[1] + " in bytes"}[i]
				if c.each[0].Count != tt.want || tr.Weight != want {
					t.Errorf("%+v: %d samples of %q, want %q", tt, c.each[0].Count, tr.Weight, want)
				}
			}
		}
	}
	// Without a rate in bytes, the profile's own numbers of samples are used.
	for i, p := range []*profile.Profile{
		{PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10},
		{},
	} {
		p.SampleType = []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}}
		p.Sample = []*profile.Sample{{Value: []int64{7, 100, 1 << 30}}}
		_, c, err := decode(bytesOf(t, p), pprof.Options{SampleType: "alloc_space"})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(c.each[0].Count); got != "7" {
			t.Errorf("profile %d: %s samples, want 7", i, got)
		}
	}
}
