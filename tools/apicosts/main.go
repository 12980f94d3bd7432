// Command apicosts makes the samples in testdata/apicosts: a table of API costs with made-up
// numbers, and counted traces of two versions of an invented stopwatch.
//
// Usage:
//
//	go run ./tools/apicosts -o testdata/apicosts
//
// The new version writes the time twice per tick and reads its preferences at each tick. In both
// traces, the app was already running when the recording began. The output is the same on every
// run.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/artwrite"
)

//go:generate go run . -o ../../testdata/apicosts

func main() {
	out := flag.String("o", "testdata/apicosts", "folder to write to")
	flag.Parse()
	for file, data := range files() {
		if err := os.WriteFile(filepath.Join(*out, file), data, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "apicosts:", err)
			os.Exit(1)
		}
	}
}

// files returns the content of each file.
func files() map[string][]byte {
	return map[string][]byte{"costs.csv": []byte(costs), "new.trace": record(fresh), "old.trace": record(old)}
}

// costs are round numbers without a source.
const costs = `# Made-up costs for the samples in this folder. Do not use them for an app.
signature,cost,unit
android.app.Activity.setContentView(int),150,mJ
android.widget.TextView.setText(java.lang.CharSequence),1.25,mJ
"android.widget.TextView.setText(java.lang.CharSequence, android.widget.TextView.BufferType)",1,mJ
android.widget.Toast.makeText(android.content.Context#java.lang.CharSequence#int),8,mJ
android.widget.Toast.show(),600,µJ
android.preference.PreferenceManager.getDefaultSharedPreferences(android.content.Context),100,µJ
"android.content.ContentValues.put(java.lang.String, java.lang.String)",20,µJ
"android.database.sqlite.SQLiteDatabase.insert(java.lang.String, java.lang.String, android.content.ContentValues)",1400,µJ
android.content.ContentValues.ContentValues(),0
android.view.View.invalidate(),70500,nJ
`

// The outlines have one call per line, indented below its caller, with the number of calls after *.
// A call whose line begins with a minus was open when the recording began.
const (
	old = `-android.os.Looper.loop()V
	-android.os.Handler.dispatchMessage(Landroid/os/Message;)V
		android.app.Activity.performCreate(Landroid/os/Bundle;)V
			com.example.laps.Laps.onCreate(Landroid/os/Bundle;)V
				android.app.Activity.setContentView(I)V
					android.view.LayoutInflater.inflate(ILandroid/view/ViewGroup;)Landroid/view/View;
						android.widget.TextView.setText(Ljava/lang/CharSequence;)V
				com.example.laps.Laps.readSettings()V
					android.preference.PreferenceManager.getDefaultSharedPreferences(Landroid/content/Context;)Landroid/content/SharedPreferences;
		com.example.laps.Laps$Ticker.handleMessage(Landroid/os/Message;)V *150
			android.widget.TextView.setText(Ljava/lang/CharSequence;)V
				android.view.View.invalidate()V
			android.os.Handler.sendEmptyMessageDelayed(IJ)Z
		android.view.View.performClick()Z *5
			com.example.laps.Laps.onClick(Landroid/view/View;)V
				com.example.laps.Laps.createLap()V
					android.content.ContentValues.<init>()V
					android.content.ContentValues.put(Ljava/lang/String;Ljava/lang/String;)V *2
					android.database.sqlite.SQLiteDatabase.insert(Ljava/lang/String;Ljava/lang/String;Landroid/content/ContentValues;)J
		android.view.View.performClick()Z
			com.example.laps.Laps.onClick(Landroid/view/View;)V
				android.widget.Toast.makeText(Landroid/content/Context;Ljava/lang/CharSequence;I)Landroid/widget/Toast;
				android.widget.Toast.show()V
`
	ticks = `			android.os.Handler.sendEmptyMessageDelayed(IJ)Z
`
	more = `			com.example.laps.Laps.readSettings()V
				android.preference.PreferenceManager.getDefaultSharedPreferences(Landroid/content/Context;)Landroid/content/SharedPreferences;
			android.widget.EditText.setText(Ljava/lang/CharSequence;Landroid/widget/TextView$BufferType;)V
				android.view.View.invalidate()V
`
)

var fresh = strings.Replace(old, ticks, more+ticks, 1)

// A call is a line of an outline.
type call struct {
	method name.Method
	times  int
	open   bool
	inner  []*call
}

// parse reads an outline.
func parse(text string) *call {
	root := &call{times: 1}
	stack := []*call{root}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		depth := strings.Count(line, "\t")
		c := &call{times: 1, open: strings.HasPrefix(words[0], "-")}
		c.method = name.Parse(strings.TrimPrefix(words[0], "-"), name.JVM)
		if len(words) > 1 {
			c.times, _ = strconv.Atoi(strings.TrimPrefix(words[1], "*")) // The outlines are constants, so they are valid.
		}
		stack = append(stack[:depth+1], c)
		stack[depth].inner = append(stack[depth].inner, c)
	}
	return root
}

// record writes the run of an outline as a trace of ART.
func record(text string) []byte {
	t := &artwrite.Trace{Threads: []artwrite.Thread{{ID: 4711, Name: "main"}}, VM: "art", PID: 4711, Start: time.Hour}
	ids := map[string]int{}
	var events []artwrite.Event
	var now time.Duration
	event := func(c *call, action artwrite.Action) {
		label := c.method.Label()
		id, ok := ids[label]
		if !ok {
			id = len(t.Methods)
			ids[label] = id
			t.Methods = append(t.Methods, c.method)
		}
		now += 40 * time.Microsecond
		events = append(events, artwrite.Event{Method: id, Action: action, CPU: now, Wall: 2 * now})
	}
	var play func(c *call)
	play = func(c *call) {
		for range c.times {
			if !c.open && c.method.Name != "" {
				event(c, artwrite.Enter)
			}
			for _, inner := range c.inner {
				play(inner)
			}
			if c.method.Name != "" {
				event(c, artwrite.Exit)
			}
		}
	}
	play(parse(text))
	t.Events, t.Elapsed = slices.Values(events), 2*now
	var b bytes.Buffer
	if err := artwrite.Write(&b, t, artwrite.Form{}); err != nil {
		panic(err) // writing these forms to a buffer cannot fail
	}
	return b.Bytes()
}
