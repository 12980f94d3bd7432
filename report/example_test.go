package report_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	write := func(name, stacks string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(stacks), 0o666); err != nil {
			log.Fatal(err)
		}
		return path
	}
	result, err := analysis.Compare(context.Background(), analysis.Options{
		Subject:   analysis.Side{Path: write("new.folded", "android.view.View.performClick;com.mine.Main.onClick;android.widget.TextView.setText 900\n")},
		Reference: analysis.Side{Path: write("old.folded", "android.view.View.performClick;com.mine.Main.onClick;android.widget.TextView.setText 200\n")},
		Alpha:     analysis.AutoAlpha,
	})
	if err != nil {
		log.Fatal(err)
	}
	r := report.New(finding.New(result), "1.0", 0)
	for _, task := range r.Tasks {
		fmt.Printf("%s %s saves %d nJ, from %s\n", task.Status, task.Method, task.Saving, task.Callers[0].Method)
	}
	// Output:
	// matched android.widget.TextView.setText saves 700 nJ, from com.mine.Main.onClick
}
