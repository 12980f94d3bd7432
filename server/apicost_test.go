package server

import (
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

const lapsJava = `package com.example.laps;

public class Laps {
    static class Ticker extends android.os.Handler {
        public void handleMessage(android.os.Message m) {
            text.setText("0");
            sendEmptyMessageDelayed(1, 2);
        }
    }
    public void onClick(android.view.View v) {
        android.widget.Toast.makeText(this, "lap", 0).show();
    }
}
`

// TestAPICostsInEditors checks that a call of an API with a cost has a lens and a hover with the API, its
// calls and their cost. A call without a cost has no lens. A setting hides the lenses.
func TestAPICostsInEditors(t *testing.T) {
	samples, err := filepath.Abs("../testdata/apicosts")
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []bool{true, false} {
		folder := t.TempDir()
		path := write(t, folder, "Laps.java", lapsJava)
		f := connect(t, nil)
		f.open(folder, `{}`, map[string]any{
			"subject": filepath.Join(samples, "new.trace"), "reference": filepath.Join(samples, "old.trace"), "apiCosts": filepath.Join(samples, "costs.csv"),
			"codeLens": map[string]bool{"method": false, "class": false, "api": shown},
		})
		var did didCompareParams
		if f.await(lsp.MethodDidCompare, 1, &did); did.Error != "" {
			t.Fatal(did.Error)
		}
		document := map[string]any{"uri": lsp.URIOf(path)}
		var lenses []protocol.CodeLens
		f.must("textDocument/codeLens", map[string]any{"textDocument": document}, &lenses)
		titles := map[uint32]string{}
		for _, l := range lenses {
			titles[l.Range.Start.Line] += l.Command.Title + "; "
		}
		if !shown {
			if len(lenses) > 0 {
				t.Errorf("hidden lenses: %v", titles)
			}
			continue
		}
		if !strings.Contains(titles[5], "TextView.setText 150 × 1.25 mJ = 188 mJ") || !strings.Contains(titles[10], "Toast.makeText 1 × 8.00 mJ") ||
			!strings.Contains(titles[10], "Toast.show 1 × 600 µJ") || titles[6] != "" {
			t.Errorf("lenses: %v", titles)
		}
		var h protocol.Hover
		f.must("textDocument/hover", map[string]any{"textDocument": document, "position": map[string]int{"line": 5, "character": 18}}, &h)
		if want := "API costs: TextView.setText 150 × 1.25 mJ = 188 mJ; in the whole run 150 × 1.25 mJ = 188 mJ"; !strings.Contains(h.Contents.Value, want) {
			t.Errorf("the hover says %q", h.Contents.Value)
		}
	}
}
