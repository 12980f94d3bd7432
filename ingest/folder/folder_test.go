package folder_test

import (
	"fmt"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/diffprof/diffprof/ingest/folder"
)

// kind returns the format of a test file.
func kind(file string) (string, error) {
	switch {
	case strings.HasSuffix(file, ".perfetto-trace"):
		return "perfetto", nil
	case path.Ext(file) == ".trace":
		return "art", nil
	}
	return "", nil
}

// show formats groups, and the group that Choose returns.
func show(groups []folder.Group) string {
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "%s %s %s", g.Name, g.Format, strings.Join(g.Files, " "))
		if g.Unrelated {
			b.WriteString(" (beside)")
		}
		if g.Fault != "" {
			b.WriteString(" (" + g.Fault + ")")
		}
		b.WriteByte('\n')
	}
	g, err := folder.Choose(groups)
	if err != nil {
		fmt.Fprintf(&b, "error: %v", err)
	} else {
		b.WriteString("runs: " + g.Pattern())
	}
	return b.String()
}

func TestRead(t *testing.T) {
	const device = "connected/Pixel 8 - 15/"
	report := func(benchmarks string) string { return `{"context":{},"benchmarks":[` + benchmarks + `]}` }
	startup := `{"name":"startup","className":"com.mine.StartupBenchmark","metrics":{},"profilerOutputs":[
		{"type":"PerfettoTrace","label":"Trace Iteration 0","filename":"StartupBenchmark_startup_iter000_2026-09-14-15-40-53.perfetto-trace"},
		{"type":"PerfettoTrace","label":"Trace Iteration 1","filename":"StartupBenchmark_startup_iter001_2026-09-14-15-41-12.perfetto-trace"},
		{"type":"MethodTrace","label":"Method Trace","filename":"StartupBenchmark_startup-methodTracing-2026-09-14-15-42-00.trace"}]}`
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"a report", map[string]string{
			device + "com.mine-benchmarkData.json":                                                 report(startup),
			device + "StartupBenchmark_startup_iter000_2026-09-14-15-40-53.perfetto-trace":         "",
			device + "StartupBenchmark_startup_iter001_2026-09-14-15-41-12.perfetto-trace":         "",
			device + "StartupBenchmark_startup_iter000_2026-09-11-10-00-00.perfetto-trace":         "",
			device + "StartupBenchmark_startup-methodTracing-2026-09-14-15-42-00.trace":            "",
			device + "additionaltestoutput.benchmark.message_StartupBenchmark_startup.txt":         "",
			device + "StartupBenchmark_startup_iter000_2026-09-14-15-40-53.perfetto-trace.uistate": "",
		}, `connected/Pixel 8 - 15/StartupBenchmark.startup perfetto connected/Pixel 8 - 15/StartupBenchmark_startup_iter000_2026-09-14-15-40-53.perfetto-trace connected/Pixel 8 - 15/StartupBenchmark_startup_iter001_2026-09-14-15-41-12.perfetto-trace
connected/Pixel 8 - 15/StartupBenchmark.startup, MethodTrace art connected/Pixel 8 - 15/StartupBenchmark_startup-methodTracing-2026-09-14-15-42-00.trace (beside)
connected/Pixel 8 - 15/StartupBenchmark_startup perfetto connected/Pixel 8 - 15/StartupBenchmark_startup_iter000_2026-09-11-10-00-00.perfetto-trace (beside)
runs: connected/Pixel 8 - 15/StartupBenchmark_startup_iter00*.perfetto-trace`},
		{"an iteration is missing", map[string]string{
			"com.mine-benchmarkData.json":                                         report(startup),
			"StartupBenchmark_startup_iter001_2026-09-14-15-41-12.perfetto-trace": "",
		}, `StartupBenchmark.startup perfetto StartupBenchmark_startup_iter001_2026-09-14-15-41-12.perfetto-trace (com.mine-benchmarkData.json refers to StartupBenchmark_startup_iter000_2026-09-14-15-40-53.perfetto-trace, which does not exist)
error: StartupBenchmark.startup: com.mine-benchmarkData.json refers to StartupBenchmark_startup_iter000_2026-09-14-15-40-53.perfetto-trace, which does not exist; name the files of one run`},
		{"a report alone", map[string]string{"a-benchmarkData.json": report(startup)}, "error: the folder has no recordings"},
		{"a damaged report", map[string]string{"a-benchmarkData.json": `{"benchmarks":[`},
			"error: the report a-benchmarkData.json cannot be read: unexpected end of JSON input"},
		{"names, two scenarios", map[string]string{
			"A_cold_iter000.perfetto-trace": "", "A_cold_iter001.perfetto-trace": "", "A_cold_iter010.perfetto-trace": "", "A_warm_iter000.perfetto-trace": "",
		}, `A_cold perfetto A_cold_iter000.perfetto-trace A_cold_iter001.perfetto-trace A_cold_iter010.perfetto-trace
A_warm perfetto A_warm_iter000.perfetto-trace
error: the folder holds recordings of 2 scenarios: name the recordings of one, such as A_cold_iter0*.perfetto-trace, A_warm_iter000.perfetto-trace`},
		{"an iteration twice", map[string]string{
			"A_cold_iter000_2026-09-11.perfetto-trace": "", "A_cold_iter000_2026-09-12.perfetto-trace": "",
		}, `A_cold perfetto A_cold_iter000_2026-09-11.perfetto-trace A_cold_iter000_2026-09-12.perfetto-trace (run number 0 exists more than once (A_cold_iter000_2026-09-11.perfetto-trace and A_cold_iter000_2026-09-12.perfetto-trace), so the files are from several series)
error: A_cold: run number 0 exists more than once (A_cold_iter000_2026-09-11.perfetto-trace and A_cold_iter000_2026-09-12.perfetto-trace), so the files are from several series; name the files of one run`},
		{"Android Studio", map[string]string{
			"cpu-art-20260917T073552.trace": "", "cpu-art-20260917T072552.trace": "", "notes.txt": "",
		}, "cpu-art art cpu-art-20260917T072552.trace cpu-art-20260917T073552.trace\nruns: cpu-art-20260917T07*552.trace"},
		{"diffprof record", map[string]string{
			"record.json": "", "run-1.trace": "", "run-2.trace": "", "run-10.trace": "", "run-1.perfetto-trace": "", "run-2.perfetto-trace": "", ".git/run-3.trace": "",
		}, `run perfetto run-1.perfetto-trace run-2.perfetto-trace (beside)
run art run-1.trace run-2.trace run-10.trace
runs: run-*.trace`},
		{"nothing", nil, "error: the folder has no recordings"},
		{"too deep", map[string]string{"1/2/3/4/5/6/7/8/9/a.trace": ""}, "error: the folder has no recordings"},
	} {
		files := fstest.MapFS{}
		for f, data := range c.files {
			files[f] = &fstest.MapFile{Data: []byte(data)}
		}
		got := ""
		if groups, err := folder.Read(files, kind); err != nil {
			got = "error: " + err.Error()
		} else {
			got = show(groups)
		}
		if got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

func TestTooMany(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 20_001 {
		files[fmt.Sprint(i)] = &fstest.MapFile{}
	}
	if _, err := folder.Read(files, kind); err == nil || !strings.Contains(err.Error(), "more than 20000 files") {
		t.Error(err)
	}
}
