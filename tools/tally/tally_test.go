package main

import (
	"strings"
	"testing"
)

func TestRunPrintsFailuresAndCounts(t *testing.T) {
	in := `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:3: broken\n"}
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:9: no data\n"}
{"Action":"output","Package":"p","Test":"TestC","Output":"--- SKIP: TestC (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`
	want := "    b_test.go:3: broken\n" +
		"skip\tp\tTestC: c_test.go:9: no data\n" +
		"FAIL\tp\t0.1s\n" +
		"1 passed, 1 failed, 1 skipped\n"
	var out strings.Builder
	passed, err := run(strings.NewReader(in), &out, 0)
	if err != nil || passed {
		t.Errorf("run = %v, %v; want false, nil", passed, err)
	}
	if out.String() != want {
		t.Errorf("output:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestRunCountsPackagesThatFailWithoutATest(t *testing.T) {
	for name, in := range map[string]string{
		"build": `{"Action":"build-output","ImportPath":"p","Output":"x.go:1: no\n"}` + "\n" + `{"Action":"fail","Package":"p"}`,
		"panic": `{"Action":"output","Package":"p","Test":"TestA","Output":"x.go:1: no\n"}` + "\n" + `{"Action":"fail","Package":"p"}`,
	} {
		var out strings.Builder
		passed, err := run(strings.NewReader(in), &out, 0)
		if err != nil || passed || out.String() != "x.go:1: no\n0 passed, 1 failed, 0 skipped\n" {
			t.Errorf("%s: %v, %v:\n%s", name, passed, err, out.String())
		}
	}
}

func TestRunWithoutTestsFails(t *testing.T) {
	var out strings.Builder
	if passed, err := run(strings.NewReader("go: no such package\n"), &out, 0); passed || err != nil {
		t.Errorf("run = %v, %v; want false, nil", passed, err)
	}
	if want := "go: no such package\n0 passed, 0 failed, 0 skipped\n"; out.String() != want {
		t.Errorf("output %q, want %q", out.String(), want)
	}
}

func TestRunOfSkippedTestsPasses(t *testing.T) {
	var out strings.Builder
	in := `{"Action":"output","Package":"p","Test":"all tests","Output":"no Node\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"all tests"}`
	if passed, err := run(strings.NewReader(in), &out, 0); !passed || err != nil {
		t.Errorf("run = %v, %v; want true, nil", passed, err)
	}
	if want := "skip\tp\tall tests: no Node\n0 passed, 0 failed, 1 skipped\n"; out.String() != want {
		t.Errorf("output %q, want %q", out.String(), want)
	}
}

func TestRunListsTheSlowest(t *testing.T) {
	in := `{"Action":"pass","Package":"p","Test":"TestA","Elapsed":1.5}
{"Action":"pass","Package":"p","Test":"TestB/sub","Elapsed":2}
{"Action":"pass","Package":"p","Test":"TestB","Elapsed":2.5}
{"Action":"pass","Package":"q","Test":"TestC","Elapsed":0.5}
`
	want := "The slowest of 3 tests, which took 4 s in all:\n" +
		"    2.5 s  p  TestB\n" +
		"    1.5 s  p  TestA\n" +
		"4 passed, 0 failed, 0 skipped\n"
	var out strings.Builder
	if passed, err := run(strings.NewReader(in), &out, 2); !passed || err != nil {
		t.Errorf("run = %v, %v; want true, nil", passed, err)
	}
	if out.String() != want {
		t.Errorf("output:\n%s\nwant:\n%s", out.String(), want)
	}
}
