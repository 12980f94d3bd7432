package srcindex_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/diffprof/diffprof/srcindex"
	"github.com/diffprof/diffprof/trace"
)

func Example() {
	root, err := os.MkdirTemp("", "srcindex")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)
	const source = `package com.example

class Player(private val view: TextView) {
    fun start() {
        view.post { view.text = "playing" }
    }
}
`
	path := filepath.Join(root, "Player.kt")
	if err := os.WriteFile(path, []byte(source), 0o666); err != nil {
		log.Fatal(err)
	}

	index := srcindex.New(srcindex.Options{Roots: []string{root}})
	if _, err := index.Load(context.Background(), nil); err != nil {
		log.Fatal(err)
	}

	// What a recording calls the lambda, and what it calls the setter.
	lambda := trace.Method{Class: "com.example.Player", Name: "start$lambda$0", File: "Player.kt", Line: 5}
	setText := trace.ParseLabel("android.widget.TextView.setText(Ljava/lang/CharSequence;)V")

	locations, reason := index.Find(lambda, time.Time{})
	fmt.Println("the method", reason)
	for _, l := range locations {
		fmt.Println(l.Body.Start.Line+1, source[l.Body.Start.Offset:l.Body.End.Offset])
	}
	for _, l := range index.Calls(lambda, setText, time.Time{}) {
		fmt.Println(l.Range.Start.Line+1, l.Range.Start.Column+1, source[l.Range.Start.Offset:l.Range.End.Offset])
	}
	// Output:
	// the method is here
	// 5 { view.text = "playing" }
	// 5 26 text
}
