package cct_test

import (
	"bytes"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// TestPackKeepsAccounts packs runs with one account or several, and with one thread or several.
// Unpacking must give the same energy by thread and account.
func TestPackKeepsAccounts(t *testing.T) {
	jvm := func(label string) name.Method { return name.Parse(label, name.JVM) }
	text := ""
	for _, line := range []string{"p.A.a();p.B.b() 5 0 0\n", "p.A.a() 7 1 0\n", "p.C.c() 11 2 0\n", "p.C.c() 13 1 1\n", "p.C.c() 17 4 2\n"} {
		text += line
		tree, _, err := cct.Build(t.Context(), tracetest.Booked{Text: text, Only: -1, Method: jvm}, cct.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		packed := tree.Pack()
		got, err := cct.Unpack(packed)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if a, b := known(got), known(tree); a != b || !bytes.Equal(got.Pack(), packed) {
			t.Errorf("unpacked\n%s\npacked\n%s", a, b)
		}
		for thread := range tree.ThreadEnergy {
			for account := range tracetest.BookedAccounts {
				account := trace.AccountID(account)
				if a, b := got.EnergyOfThread(thread, account), tree.EnergyOfThread(thread, account); a != b {
					t.Errorf("thread %d has %d on account %d, packed were %d", thread, a, account, b)
				}
			}
		}
	}
}
