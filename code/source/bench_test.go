package source_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
)

// javaSource returns a file with about 15 lines per method, as in typical apps.
func javaSource(class string, methods int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package com.example.p%s;\n\nimport android.os.Bundle;\nimport android.widget.TextView;\nimport java.util.List;\n\n", class)
	fmt.Fprintf(&b, "public class %s extends Activity implements View.OnClickListener {\n", class)
	for i := range methods {
		fmt.Fprintf(&b, `    /** Shows the items of page %[1]d. */
    private TextView field%[1]d;

    @Override
    public void method%[1]d(Bundle state, List<String> items, int[] sizes) {
        super.onCreate(state);
        TextView view = findViewById(R.id.text%[1]d);
        for (String item : items) {
            if (item.length() > %[1]d && !item.isEmpty()) {
                view.setText(getString(R.string.app_name) + item + "suffix");
            }
        }
        view.setOnClickListener(v -> startActivity(new Intent(this, %[2]s.class)));
    }

`, i, class)
	}
	b.WriteString("}\n")
	return b.String()
}

// kotlinSource is javaSource for Kotlin.
func kotlinSource(class string, functions int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package com.example.p%s\n\nimport android.os.Bundle\nimport android.widget.TextView\n\n", class)
	fmt.Fprintf(&b, "class %s(private val model: Model) : Activity(), View.OnClickListener {\n", class)
	for i := range functions {
		fmt.Fprintf(&b, `    /** Shows the items of page %[1]d. */
    private val field%[1]d: Int by lazy { compute(%[1]d) }

    override fun method%[1]d(state: Bundle?, items: List<String>, sizes: IntArray) {
        super.onCreate(state)
        val view = findViewById<TextView>(R.id.text%[1]d)
        for (item in items) {
            if (item.length > %[1]d && !item.isEmpty()) {
                view.text = getString(R.string.app_name) + item + "suffix $item ${item.length}"
            }
        }
        view.setOnClickListener { startActivity(Intent(this, %[2]s::class.java)) }
    }

`, i, class)
	}
	b.WriteString("}\n")
	return b.String()
}

// workspace writes n files of about 150 lines, half in Java and half in Kotlin.
func workspace(b *testing.B, n int) string {
	root := b.TempDir()
	for i := range n {
		folder := filepath.Join(root, fmt.Sprintf("module%d/src/main/java/p%d", i%10, i%200))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			b.Fatal(err)
		}
		class := fmt.Sprintf("Screen%d", i)
		name, text := class+".java", javaSource(class, 9)
		if i%2 == 0 {
			name, text = class+".kt", kotlinSource(class, 10)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

// BenchmarkLoad indexes 10,000 files. It reports the processor time, because other work on the
// machine affects it less than elapsed time. It also reports the peak memory of the process, if
// known. Both include C code.
func BenchmarkLoad(b *testing.B) {
	root := workspace(b, 10000)
	b.ReportAllocs()
	var x *source.Index
	begin := cpuTime()
	for b.Loop() {
		x = source.New(source.Options{Roots: []string{root}})
		if _, err := x.Load(context.Background(), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((cpuTime()-begin).Seconds()/float64(b.N), "cpu-s/op")
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "live-MiB")
	if peak := peakMemory(); peak > 0 {
		b.ReportMetric(peak, "peak-MiB")
	}
	runtime.KeepAlive(x)
}

// peakMemory returns the process's largest resident size in MiB, or 0 if unknown.
func peakMemory() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(text), "VmHWM:")
	var kib float64
	if _, err := fmt.Sscan(rest, &kib); !ok || err != nil {
		return 0
	}
	return kib / 1024
}

// BenchmarkUpdate measures the time for a keystroke in a file of 5,000 lines.
func BenchmarkUpdate(b *testing.B) {
	for name, text := range map[string]string{"Big.java": javaSource("Big", 350), "Big.kt": kotlinSource("Big", 380)} {
		b.Run(filepath.Ext(name)[1:], func(b *testing.B) {
			x := source.New(source.Options{})
			at := strings.Index(text, "suffix")
			b.ReportAllocs()
			version := int32(0)
			for b.Loop() {
				version++
				edited := text[:at] + strings.Repeat("x", int(version%7)) + text[at:]
				if err := x.Update(context.Background(), "/app/"+name, []byte(edited), version); err != nil {
					b.Fatal(err)
				}
			}
			if err := x.Close(context.Background(), "/app/"+name); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkFindAndCalls(b *testing.B) {
	root := workspace(b, 1000)
	x := source.New(source.Options{Roots: []string{root}})
	if _, err := x.Load(context.Background(), nil); err != nil {
		b.Fatal(err)
	}
	m := name.Parse("com.example.pScreen501.Screen501.method3(Landroid/os/Bundle;Ljava/util/List;[I)V", name.JVM)
	callee := name.Parse("android.widget.TextView.setText(Ljava/lang/CharSequence;)V", name.JVM)
	b.Run("find", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, reason := x.Find(m, time.Time{}); reason != source.Exact {
				b.Fatal(reason)
			}
		}
	})
	b.Run("calls", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if len(x.Calls(m, callee, time.Time{})) != 1 {
				b.Fatal("not one call")
			}
		}
	})
	b.Run("classes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			x.Classes()
		}
	})
}
