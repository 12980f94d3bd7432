package analysis_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/report/text"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestFit fits Wattson's curves to the rails of a real trace. docs/energy.md has the results.
func TestFit(t *testing.T) {
	const data = "../../shared/data/"
	var curves []io.Reader
	for _, name := range []string{"Tensor-cpu_1d.csv", "Tensor-cpu_2d.csv"} {
		f, err := os.Open(data + "wattson/" + name)
		if err != nil {
			t.Skipf("no real data in %s", data)
		}
		defer f.Close()
		curves = append(curves, f)
	}
	cpu, _, _, err := model.FromCurves(curves...)
	if err != nil {
		t.Fatal(err)
	}
	d := &model.Device{Name: "tensor", Voltage: units.DefaultVoltage, CPU: cpu}
	fitted, err := analysis.Fit(t.Context(), d, analysis.Options{Subject: analysis.Side{Path: data + "perfetto/api32_startup_warm.perfetto-trace"}})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, c := range fitted.Clusters {
		fmt.Fprintf(&out, "%s %d: measured %d mJ, model %d mJ off by %.0f %%, fitted %d mJ off by %.0f %%, times %.2f and %.2f%s\n", c.Name, c.Spans,
			c.Measured/units.Millijoule, c.Before/units.Millijoule, 100*c.OffBefore, c.After/units.Millijoule, 100*c.OffAfter, c.Active, c.Idle, c.Refused)
	}
	const want = `policy0 6: measured 256 mJ, model 215 mJ off by 14 %, fitted 229 mJ off by 13 %, times 1.06 and 1.06
policy4 6: measured 83 mJ, model 111 mJ off by 44 %, fitted 77 mJ off by 5 %, times 0.69 and 0.69
policy6 6: measured 112 mJ, model 203 mJ off by 100 %, fitted 101 mJ off by 27 %, times 0.50 and 0.50
`
	if out.String() != want {
		t.Errorf("fitted:\n%s\nwant:\n%s", out.String(), want)
	}
}

// A message is a protocol buffer message.
type message []byte

func (m message) num(field int, value int64) message {
	return binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3), uint64(value))
}

func (m message) bytes(field int, value []byte) message {
	return append(binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3|2), uint64(len(value))), value...)
}

// download writes a Perfetto trace in which an app sends packets over Wi-Fi at random times. Every
// half second, a rail states the energy of a radio that follows the model, plus the phone's
// constant power. If apart is true, the rail is in a separate recording.
func download(t *testing.T, radio *model.Component, always units.Power, seed uint64, apart bool) (run, rails string) {
	t.Helper()
	const ms, second = int64(1e6), int64(1e9)
	r := rand.New(rand.NewPCG(seed, 5))
	packet := func(at int64, field int, body message) []byte {
		return message{}.bytes(1, message{}.num(8, at).num(10, 1).bytes(field, body))
	}
	var file []byte
	app := message{}.bytes(2, message(nil).num(1, 100).num(2, 1).bytes(3, []byte("com.mine")).num(5, 10001))
	file = append(file, message{}.bytes(1, message{}.num(10, 1).bytes(2, app[2:]))...)
	const boottime = 6
	clock := packet(1000*second, 6, message{}.bytes(1, message{}.num(1, boottime).num(2, 1000*second)))
	file = append(file, clock...)
	stays := make([]units.Energy, 121) // by half second
	add := func(s *machine.Interval) error {
		for at := s.Begin; at < s.End; at += ms {
			if i := at * 2 / second; i < int64(len(stays)) {
				stays[i] += s.Energy * units.Energy(min(ms, s.End-at)) / units.Energy(s.End-s.Begin)
			}
		}
		if i := s.Begin * 2 / second; s.End == s.Begin && i < int64(len(stays)) {
			stays[i] += s.Energy
		}
		return nil
	}
	phone := machine.New(radio, machine.LastTrigger, machine.Options{Emit: add})
	begin := 1000 * second
	for at := 700 * ms; at < 59*second; at += int64(r.IntN(900)) * ms {
		verb, direction := trace.OpSend, int64(2)
		if r.IntN(2) == 0 {
			verb, direction = trace.OpReceive, 1
		}
		bytes := 1000 + r.Int64N(20_000)
		if err := phone.Do(machine.Operation{Begin: at, End: at, Verb: verb, Bytes: bytes, Owner: machine.NoOwner}); err != nil {
			t.Fatal(err)
		}
		file = append(file, packet(begin+at, 88, message{}.num(1, direction).bytes(2, []byte("wlan0")).num(3, bytes).num(4, 10001))...)
	}
	if err := phone.Finish(60 * second); err != nil {
		t.Fatal(err)
	}
	rail := message{}.bytes(1, message{}.num(1, 1).bytes(2, []byte("WLAN_RF")).bytes(3, []byte("wifi")))
	readings := append(clock, packet(begin, 40, rail)...)
	drained := units.Energy(0)
	for i, e := range stays {
		at := begin + int64(i)*second/2
		readings = append(readings, packet(at, 40, message{}.bytes(2, message{}.num(1, 1).num(2, at/ms).num(3, int64(drained/1000))))...)
		drained += e + units.Energy(always)*500
	}
	if !apart {
		file = append(file, readings...)
	}
	folder := t.TempDir()
	run, rails = filepath.Join(folder, fmt.Sprintf("run%d.perfetto-trace", seed)), filepath.Join(folder, "rails.perfetto-trace")
	if err := errors.Join(os.WriteFile(run, file, 0o666), os.WriteFile(rails, readings, 0o666)); err != nil {
		t.Fatal(err)
	}
	return run, rails
}

// wrong returns the built-in model of Wi-Fi with a doubled ramp and half of the active power,
// measured by the named rails.
func wrong(t *testing.T, rails string) *model.Device {
	t.Helper()
	d, err := model.Ready("wifi")
	if err != nil {
		t.Fatal(err)
	}
	start := *d
	start.Components = append([]model.Component{}, d.Components...)
	for i := range start.Components {
		if c := &start.Components[i]; c.Name == "wifi" {
			c.Rails, c.States = []string{rails}, append([]model.State{}, c.States...)
			c.States[1].Power *= 2
			c.States[2].Power /= 2
		}
	}
	return &start
}

// nearly checks that the fitted powers of the Wi-Fi states are within 2 % of the true powers.
func nearly(t *testing.T, fitted, truth *model.Device) {
	t.Helper()
	for i, s := range fitted.Component("wifi").States {
		if want := truth.Component("wifi").States[i].Power; max(s.Power-want, want-s.Power) > want/50 {
			t.Errorf("%s draws %d µW, truly %d", s.Name, s.Power, want)
		}
	}
}

// TestFitRadio fits the states of a radio to Perfetto traces with its rail and packets.
func TestFitRadio(t *testing.T) {
	truth, err := model.Ready("wifi")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for seed := range uint64(3) {
		run, _ := download(t, truth.Component("wifi"), 30*units.Milliwatt, seed, false)
		paths = append(paths, run)
	}
	fitted, err := analysis.Fit(t.Context(), wrong(t, "WLAN*"), analysis.Options{Subject: analysis.Side{Path: paths[0], Repeats: paths[1:]}})
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if err := text.Fitted(&said, fitted); err != nil {
		t.Fatal(err)
	}
	const want = `
wifi: measured 25.0 J in 360 intervals of 3 runs, 30.0 mW of it independent of the load
  modelled 25.0 J, off by 6 %; fitted 25.0 J, off by 0 %; each run predicted from the others: off by 0 %
  promotion  249 mW   fitted 125 mW ± 0.0590 mW  20.7 s
  active     66.4 mW  fitted 134 mW ± 0.143 mW   4.81 s
  tail       119 mW   fitted 119 mW ± 0.0200 mW  75.7 s
`
	if got := said.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	nearly(t, fitted.Device, truth)
}

// TestFitToSeparateRecording fits to rails in a separate recording of a run. That must fail for two
// runs.
func TestFitToSeparateRecording(t *testing.T) {
	truth, err := model.Ready("wifi")
	if err != nil {
		t.Fatal(err)
	}
	run, rails := download(t, truth.Component("wifi"), 30*units.Milliwatt, 1, true)
	o := analysis.Options{Subject: analysis.Side{Path: run}}
	if _, err := analysis.Fit(t.Context(), wrong(t, "WLAN*"), o); err == nil {
		t.Error("fitted to nothing")
	}
	o.Subject.With = []string{rails}
	fitted, err := analysis.Fit(t.Context(), wrong(t, "WLAN*"), o)
	if err != nil {
		t.Fatal(err)
	}
	nearly(t, fitted.Device, truth)
	o.Subject.Repeats = []string{rails}
	if _, err := analysis.Fit(t.Context(), wrong(t, "WLAN*"), o); err == nil || !strings.Contains(err.Error(), "was measured during one run") {
		t.Errorf("two runs: %v", err)
	}
}
