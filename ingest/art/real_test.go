package art_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/trace"
)

// summary describes a trace in one line, for comparison with counts from other tools.
func summary(tr *trace.Trace) string {
	s := fmt.Sprintf("%d methods, %d active threads, %d events, %v, %s, %v, elapsed %v",
		len(tr.Methods)-tr.Unlisted, tr.Active(), tr.Events, tr.Clock, tr.VM, tr.Technique, tr.Elapsed)
	for _, w := range tr.Warnings {
		s += "; " + w.Message
	}
	return s
}

func TestRealTraces(t *testing.T) {
	const unknown = " missing from the method table"
	tests := []struct{ file, want string }{
		{"likaci-cpu_trace.trace", "3600 methods, 98 active threads, 186850 events, dual, art, sampled, elapsed 22.622445s; 634 events of 3 methods" + unknown},
		{"firefox-art-streaming.trace.gz", "3963 methods, 52 active threads, 39377 events, dual, art, sampled, elapsed 9.561246s; 38 events of 9 methods" + unknown},
		{"firefox-art-regular.trace.gz", "2067 methods, 40 active threads, 13295 events, dual, art, sampled, elapsed 6.365893s; 62 events of 18 methods" + unknown},
		{"androidperformance-App.trace", "1625 methods, 18 active threads, 33784 events, dual, art, instrumented, elapsed 135.899ms; 1 thread missing from the thread table"},
		{"profilertester-cpu-art-new.trace", "1832 methods, 15 active threads, 7700 events, dual, art, sampled, elapsed 4.559013s; 2 events of 1 method" + unknown},
		{"jagframework-dmtrace.trace", "101 methods, 1 active threads, 4115 events, dual, dalvik, instrumented, elapsed 5.362ms"},
		{"cf2204-profile.trace", "111 methods, 7 active threads, 364 events, dual, art, instrumented, elapsed 21.587298s"},
		{"launcher-app.trace", "48 methods, 2 active threads, 144 events, dual, art, instrumented, elapsed 4.709088s"},
		{"perflib-basic.trace", "7 methods, 1 active threads, 9 events, dual, dalvik, instrumented, elapsed 303µs"},
		{"perflib-exception.trace", "14 methods, 1 active threads, 23 events, dual, dalvik, instrumented, elapsed 312µs"},
		{"perflib-mismatched.trace", "8 methods, 1 active threads, 9 events, dual, dalvik, instrumented, elapsed 265µs"},
		{"perflib-basic-api10.trace", "7 methods, 1 active threads, 10 events, thread-cpu, dalvik, unknown, elapsed 53µs"},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			tr, _ := decode(t, realTrace(t, test.file), art.Options{})
			if got := summary(tr); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// These are the test files of Android's own reader. The expected events of their only active thread
// are from that reader's tests. Package cct handles exits without an enter.
func TestPerflibFixtures(t *testing.T) {
	const basic = "-startMethodTracing(Ljava/lang/String;II)V -startMethodTracing(Ljava/lang/String;II)V -startMethodTracing(Ljava/lang/String;)V " +
		"+foo()V +bar()I -bar()I -foo()V +stopMethodTracing()V +stopMethodTracing()V"
	tests := []struct{ file, want string }{
		{"perflib-basic.trace", basic},
		{"perflib-basic-api10.trace", "+startMethodTracing(Ljava/lang/String;II)V " + basic},
		{"perflib-mismatched.trace", "-startMethodTracing(Ljava/lang/String;II)V -startMethodTracing(Ljava/lang/String;II)V -startMethodTracing(Ljava/lang/String;)V " +
			"+baz()I -baz()I -bar()V -foo()V +stopMethodTracing()V +stopMethodTracing()V"},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			tr, events := decode(t, realTrace(t, test.file), art.Options{})
			var got []string
			for _, e := range events {
				m := tr.Methods[e.Ref]
				sign := "+"
				if e.Kind == trace.Exit {
					sign = "-"
				}
				got = append(got, sign+m.Name+m.Signature)
				if name := tr.Threads[e.Thread].Name; name != "AsyncTask #1" {
					t.Errorf("an event of thread %q", name)
				}
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
	t.Run("perflib-header.trace", func(t *testing.T) {
		// Android's reader parses this file's header in its tests, and rejects its records for the
		// same reason.
		got := decodeError(t, realTrace(t, "perflib-header.trace"))
		if !strings.Contains(got, "offset 561: art trace: data version 25610 is not 1, 2 or 3") {
			t.Error(got)
		}
	})
}

// Decoding a real trace that is truncated anywhere neither hangs nor panics. It gives at most the
// events before the truncation.
func TestRealTracesTruncated(t *testing.T) {
	for _, file := range []string{"launcher-app.trace", "perflib-basic.trace", "perflib-basic-api10.trace", "cf2204-profile.trace", "profilertester-cpu-art-new.trace"} {
		t.Run(file, func(t *testing.T) {
			data := realTrace(t, file)
			_, whole := decode(t, data, art.Options{})
			for n := 4; n < len(data); n += max(1, len(data)/120) {
				var c capture
				if _, err := art.Decode(t.Context(), bytes.NewReader(data[:n]), &c, art.Options{Partial: true}); err != nil {
					continue
				}
				if len(c.events) > len(whole) || !slices.Equal(c.events, whole[:len(c.events)]) {
					t.Fatalf("cut at %d: other events than those of the whole file", n)
				}
			}
		})
	}
}
