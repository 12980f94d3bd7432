package source_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
)

func Example() {
	root, err := os.MkdirTemp("", "source")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)
	const player = `package com.example

class Player(private val view: TextView) {
    fun start() {
        view.post { view.text = "playing" }
    }
}
`
	path := filepath.Join(root, "Player.kt")
	if err := os.WriteFile(path, []byte(player), 0o666); err != nil {
		log.Fatal(err)
	}

	index := source.New(source.Options{Roots: []string{root}})
	if _, err := index.Load(context.Background(), nil); err != nil {
		log.Fatal(err)
	}

	// The lambda and the setter have these names in a recording.
	lambda := name.OfClass("com.example.Player", "start$lambda$0", "").At("Player.kt", 5)
	setText := name.Parse("android.widget.TextView.setText(Ljava/lang/CharSequence;)V", name.JVM)

	locations, reason := index.Find(lambda, time.Time{})
	fmt.Println("the method", reason)
	for _, l := range locations {
		fmt.Println(l.Body.Start.Line+1, player[l.Body.Start.Offset:l.Body.End.Offset])
	}
	for _, l := range index.Calls(lambda, setText, time.Time{}) {
		fmt.Println(l.Range.Start.Line+1, l.Range.Start.Column+1, player[l.Range.Start.Offset:l.Range.End.Offset])
	}
	// Output:
	// the method is here
	// 5 { view.text = "playing" }
	// 5 26 text
}
