package model

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/energy/profile"
)

// withoutLines returns a copy of a device without its positions in a file.
func withoutLines(d *Device) *Device {
	out := *d
	out.Components = nil
	for _, c := range d.Components {
		c.Line = 0
		c.States, c.Transitions, c.Work = append([]State{}, c.States...), append([]Transition{}, c.Transitions...), append([]Work{}, c.Work...)
		for i := range c.States {
			c.States[i].Line = 0
		}
		for i := range c.Transitions {
			c.Transitions[i].Line = 0
		}
		for i := range c.Work {
			c.Work[i].Line = 0
		}
		out.Components = append(out.Components, c)
	}
	if d.CPU != nil {
		cpu := *d.CPU
		cpu.Line, cpu.Clusters = 0, nil
		for _, c := range d.CPU.Clusters {
			c.Line, c.Points = 0, append([]Point{}, c.Points...)
			for i := range c.Points {
				c.Points[i].Line = 0
			}
			cpu.Clusters = append(cpu.Clusters, c)
		}
		out.CPU = &cpu
	}
	return &out
}

// checkRoundTrip writes a device, reads it back and compares the two.
func checkRoundTrip(t *testing.T, d *Device) {
	t.Helper()
	var file bytes.Buffer
	if err := Write(&file, d, "a remark\nof two lines"); err != nil {
		t.Fatal(err)
	}
	back, err := Read(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatalf("%v\n%s", err, file.Bytes())
	}
	if want, got := withoutLines(d), withoutLines(back); !reflect.DeepEqual(want, got) {
		t.Errorf("read back differs:\n%+v\nwant\n%+v\n%s", got, want, file.Bytes())
	}
}

func TestWriteReady(t *testing.T) {
	for _, name := range ReadyNames() {
		d, err := Ready(name)
		if err != nil {
			t.Fatal(err)
		}
		checkRoundTrip(t, d)
	}
}

// notes formats the notes of a model.
func notes(n *Notes) string {
	var b strings.Builder
	fmt.Fprintln(&b, "read:", strings.Join(n.Read, ", "))
	for _, s := range n.Assumed {
		fmt.Fprintln(&b, "assumed:", s)
	}
	for _, s := range n.Missing {
		fmt.Fprintln(&b, "lacks:", s)
	}
	return b.String()
}

// TestFromProfile makes a model of each real power profile and compares its notes.
func TestFromProfile(t *testing.T) {
	const dir = "../../../shared/data/power_profile"
	paths, err := filepath.Glob(filepath.Join(dir, "*.xml"))
	if err != nil || len(paths) == 0 {
		t.Skipf("no real data in %s", dir)
	}
	var out bytes.Buffer
	out.WriteString("What the models of real power profiles rest on.\n")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.Read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".xml")
		d, n := FromProfile(p, name, 0, "")
		checkRoundTrip(t, d)
		checkLaws(t, d)
		fmt.Fprintf(&out, "-- %s --\n%s", name, notes(n))
	}
	checkGolden(t, "testdata/profiles.txtar", out.Bytes())
}

// FuzzFromProfile makes a model of any profile. The model must be equal after writing and reading.
func FuzzFromProfile(f *testing.F) {
	f.Add([]byte(`<device><array name="cpu.core_power.cluster1"><value>3</value></array><array name="cpu.clusters.cores"><value>300</value><value>2</value></array>
<item name="modem.controller.rx">9</item><array name="modem.controller.tx"><value>0</value><value>7</value></array><item name="cpu.awake">3</item></device>`))
	f.Add([]byte(`<device><array name="cpu.scaling_step_power.policy4"><value>3</value></array><array name="cpu.scaling_step_power.policy400"><value>3</value></array></device>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := profile.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		d, _ := FromProfile(p, "made", 0, "")
		if d.CPU == nil && len(d.Components) == 0 {
			t.Fatal("a model of nothing")
		}
		checkRoundTrip(t, d)
	})
}
