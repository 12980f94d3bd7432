package profile_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/energy/profile"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/units"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// render formats the choice from a profile.
func render(r io.Reader, v units.Voltage) string {
	p, err := profile.Read(r)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	choice := p.CPU(v)
	text := fmt.Sprintf("%d µW: %s\n", choice.Power, choice.Source)
	for _, w := range choice.Warnings {
		text += fmt.Sprintf("warning %s: %s\n", w.Code, w.Message)
	}
	return text
}

// TestProfiles renders each profile of testdata/profiles.txtar. The choice follows each section
// NAME.xml.
func TestProfiles(t *testing.T) {
	const file = "testdata/profiles.txtar"
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := &txtar.Archive{Comment: ar.Comment}
	for _, f := range ar.Files {
		if !strings.HasSuffix(f.Name, ".xml") {
			continue
		}
		want := txtar.File{Name: strings.TrimSuffix(f.Name, ".xml"), Data: []byte(render(bytes.NewReader(f.Data), 0))}
		out.Files = append(out.Files, f, want)
	}
	checkGolden(t, file, txtar.Format(out))
}

func checkGolden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got:\n%s", file, got)
	}
}

// TestRealProfiles compares the choices for real phones with a table.
func TestRealProfiles(t *testing.T) {
	const dir = "../../../shared/data/power_profile"
	files, err := filepath.Glob(filepath.Join(dir, "*.xml"))
	if err != nil || len(files) == 0 {
		t.Skipf("no real data in %s", dir)
	}
	var out strings.Builder
	out.WriteString("What is chosen from the power profiles of real phones, at 3.7 V.\n")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := render(bytes.NewReader(data), units.DefaultVoltage)
		if strings.HasPrefix(text, "error") {
			t.Errorf("%s: %s", file, text)
		}
		fmt.Fprintf(&out, "-- %s --\n%s", filepath.Base(file), text)
	}
	checkGolden(t, "testdata/real.txtar", []byte(out.String()))
}

func TestGeneric(t *testing.T) {
	choice := profile.Generic().CPU(0)
	const want = "generic profile: 120 mA (15 CPU + 5 cluster + 100 core) at 1500 MHz, " +
		"the middle one of 5 steps of cluster 1, the fastest of 2, times 3.7 V"
	if choice.Power != 444*units.Milliwatt || choice.Source != want || len(choice.Warnings) > 0 {
		t.Errorf("chosen: %+v", choice)
	}
	if got := profile.Generic().CPU(3_850_000).Power; got != 462*units.Milliwatt {
		t.Errorf("at 3.85 V: %d µW, want 462 mW", got)
	}
	if got := profile.Generic().CPU(1000 * units.Volt).Power; got != 120*units.Watt {
		t.Errorf("at 1000 V: %d µW, want 120 W", got)
	}
}

const sound = `<?xml version="1.0" encoding="utf-8"?>
<!-- a comment --><device name="Android">
<item name="cpu.active">1.5</item>
<array name="cpu.core_speeds.cluster0"><value>100</value><value>200</value></array>
<array name="cpu.core_power.cluster0"><value>5</value><value>9</value></array>
</device>`

// TestTruncatedProfile cuts a profile at every byte. The result is a profile only if the cut is in
// the blank after the root.
func TestTruncatedProfile(t *testing.T) {
	for n := range len(sound) {
		_, err := profile.Read(strings.NewReader(sound[:n]))
		var located *syntax.Error
		if !errors.As(err, &located) || located.Line > 6 || strings.Contains(err.Error(), "\n") {
			t.Errorf("cut at %d: error %v", n, err)
		}
	}
	if _, err := profile.Read(iotest.OneByteReader(strings.NewReader(sound))); err != nil {
		t.Error(err)
	}
}

func TestHostileProfiles(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"large", "<device>" + strings.Repeat(" ", 8<<20), "power profile: file is larger than 8 MiB"},
		{"deep", strings.Repeat("<device>", 100_000), "line 1: power profile: elements nest too deep"},
		{"compiled", "\x03\x00\x08\x00\x10\x00", "power profile: file is compiled XML, as in an APK; decode it first, with apktool for example"},
		{"entity", `<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><device><item name="cpu.active">&x;</item></device>`,
			"line 1: power profile: invalid character entity &x;"},
		{"text", "hello", "power profile: the file has no <device> element"},
		{"html", "\n<html></html>", "line 2: power profile: the root element is <html>, not <device>"},
		{"binary", "\x00\x01\x02", "line 1: power profile: illegal character code U+0000"},
	}
	for _, tt := range tests {
		_, err := profile.Read(strings.NewReader(tt.in))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: error %v\nwant %s", tt.name, err, tt.want)
		}
	}
	broken := io.MultiReader(strings.NewReader("<device>"), iotest.ErrReader(io.ErrNoProgress))
	if _, err := profile.Read(broken); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("error of the reader: %v", err)
	}
}

// TestItems compares the other items of a profile with a table.
func TestItems(t *testing.T) {
	p, err := profile.Read(strings.NewReader(`<device name="Android">
<item name="cpu.active">10</item>
<item name="wifi.on">4</item>
<item name="wifi.on">0.002</item>
<array name="radio.on"><value>3</value><value> 1.5 </value></array>
<item name="screen.on">bright</item>
<item>7</item>
<array name="camera.avg"/>
<modem>
<sleep>1</sleep>
<active rat="DEFAULT"><receive>20</receive><transmit level="0">30</transmit><transmit level="1">40</transmit></active>
<active rat="NR" nrFrequency="MMWAVE"><receive>90</receive></active>
</modem>
</device>`))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, name := range p.Names() {
		currents, err := p.Currents(name)
		fmt.Fprintf(&out, "%s %d", name, currents)
		if err != nil {
			fmt.Fprintf(&out, " %v", err)
		}
		out.WriteByte('\n')
	}
	const want = `camera.avg []
cpu.active [10000000]
modem.active.DEFAULT.receive [20000000]
modem.active.DEFAULT.transmit [30000000 40000000]
modem.active.NR.MMWAVE.receive [90000000]
modem.sleep [1000000]
radio.on [3000000 1500000]
screen.on [] line 6: power profile: screen.on: "bright" is not a decimal number
wifi.on [2000]
`
	if out.String() != want {
		t.Errorf("items:\n%s\nwant:\n%s", out.String(), want)
	}
	if missing, err := p.Currents("gps.on"); missing != nil || err != nil {
		t.Errorf("an item that there is not: %v, %v", missing, err)
	}
}

// FuzzRead checks Read on any file: it returns a one-line error, or a deterministic choice in
// range.
func FuzzRead(f *testing.F) {
	f.Add([]byte(sound))
	if ar, err := txtar.ParseFile("testdata/profiles.txtar"); err == nil {
		for _, file := range ar.Files {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := profile.Read(bytes.NewReader(data))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error is not one line: %q", err)
			}
			return
		}
		for _, name := range p.Names() {
			currents, err := p.Currents(name)
			for _, c := range currents {
				if c < 0 || c > 100*units.Ampere {
					t.Errorf("%q: current %d", name, c)
				}
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("error is not one line: %q", err)
			}
		}
		choice := p.CPU(0)
		// Base, cluster and core are at most 100 A each.
		if choice.Power < 0 || choice.Power > 300*3700*units.Milliwatt || strings.Contains(choice.Source, "\n") {
			t.Errorf("chosen: %+v", choice)
		}
		if again := render(bytes.NewReader(data), 0); again != render(bytes.NewReader(data), 0) {
			t.Error("two readings differ")
		}
	})
}
