package html_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/html"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "run.folded")
	if err := os.WriteFile(file, []byte("com.mine.Main.onClick;android.widget.TextView.setText 900\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	result, err := analysis.Compare(context.Background(), analysis.Options{Subject: analysis.Side{Path: file}, Reference: analysis.Side{Path: file}})
	if err != nil {
		log.Fatal(err)
	}
	var page bytes.Buffer
	if err := html.Write(&page, report.NewComparison(finding.New(result), report.New(finding.New(result), "1.0", 500)), report.Options{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.HasPrefix(page.Bytes(), []byte("<!doctype html>")))
	// Output:
	// true
}
