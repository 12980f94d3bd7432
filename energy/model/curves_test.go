package model

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/units"
)

const flat = `device,policy,freq_khz,static,active,idle0,idle1
SoC,4,600000,2.5,80,8,0
SoC,4,300000,1.5,30,5,0
`

const beside = `device,policy,freq_khz,dep_policy,dep_freq,static,active,idle0,idle1,interconnect
SoC,0,300000,4,300000,3,20,0.5,0,0
SoC,0,300000,4,600000,5,22,0.5,0,1.25
SoC,0,300000,6,800000,4,25,0.5,0,0
`

func TestFromCurves(t *testing.T) {
	cpu, device, _, err := FromCurves(strings.NewReader(flat), strings.NewReader(beside))
	if err != nil || device != "SoC" || len(cpu.Clusters) != 2 {
		t.Fatalf("%+v of %q, %v", cpu, device, err)
	}
	little, big := &cpu.Clusters[0], &cpu.Clusters[1]
	if fmt.Sprint(little.Cores, big.Cores) != "[0 1 2 3] [4 5 6 7]" {
		t.Errorf("cores %v and %v", little.Cores, big.Cores)
	}
	clocks := map[int]units.Frequency{}
	for _, c := range []struct {
		cluster  *Cluster
		own      units.Frequency
		mid, top units.Frequency
		want     string
	}{
		{big, 300 * units.Megahertz, 0, 0, "30000 1500 [5000 0]"},
		{big, 449 * units.Megahertz, 0, 0, "30000 1500 [5000 0]"},
		{big, 2 * units.Gigahertz, 0, 0, "80000 2500 [8000 0]"},
		{little, 300 * units.Megahertz, 0, 0, "20000 3000 [500 0]"},
		{little, 300 * units.Megahertz, 500 * units.Megahertz, 0, "22000 6250 [500 0]"},
		{little, 300 * units.Megahertz, 300 * units.Megahertz, units.Gigahertz, "25000 4000 [500 0]"},
		{little, 300 * units.Megahertz, 600 * units.Megahertz, units.Gigahertz, "22000 6250 [500 0]"},
	} {
		clocks[4], clocks[6] = c.mid, c.top
		p := c.cluster.Point(c.own, func(policy int) units.Frequency { return clocks[policy] })
		if got := fmt.Sprint(int64(p.Active), int64(p.Shared), p.Idle); got != c.want {
			t.Errorf("%s at %v beside %v and %v: %s, want %s", c.cluster.Name, c.own, c.mid, c.top, got, c.want)
		}
	}
	if p := (&Cluster{}).Point(1, nil); p != nil {
		t.Errorf("a cluster without points has %+v", p)
	}
	checkRoundTrip(t, &Device{Name: "soc", Voltage: units.DefaultVoltage, CPU: cpu})
}

func TestFaultyCurves(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "power curves: the file is empty"},
		{"device,freq_khz,active\n", "line 1: power curves: column policy is missing: these are not curves of a processor"},
		{"device,freq_khz,active,idle1,idle2\nTensor,0,0,0,0\n", "line 1: power curves: column policy is missing: these are curves of a GPU; only curves of the processor are read"},
		{"device,freq_khz,dep_policy,dep_freq,l3_hit,l3_miss\n", "line 1: power curves: column policy is missing: these are curves of a cache, which need counts of its hits and misses; only curves of the processor are read"},
		{"device,policy,freq_khz,static,active,idle0,idle1\n", "line 1: power curves: the table has no rows"},
		{flat + "SoC,4,300000,0,x,0,0\n", "line 4: power curves: active: \"x\" is not a decimal number"},
		{flat + "SoC,4,900000,0,-1,0,0\n", "line 4: power curves: active: \"-1\" is negative"},
		{flat + "SoC,4,900000,0,1e9,0,0\n", "line 4: power curves: active: \"1e9\" is too large"},
		{flat + "SoC,400,900000,0,1,0,0\n", "line 4: power curves: policy: \"400\" is too large"},
		{flat + "SoC,4,300000,0,1,0,0\n", "line 4: power curves: policy 4 has two rows for 300 MHz"},
		{flat + "SoC,4\n", "line 4: power curves: wrong number of fields"},
		{flat + "\"\n", "line 4: power curves: extraneous or missing \" in quoted-field"},
	} {
		if _, _, _, err := FromCurves(strings.NewReader(c.in)); err == nil || err.Error() != c.want {
			t.Errorf("%.60q: error %v\nwant %s", c.in, err, c.want)
		}
	}
	other := strings.ReplaceAll(beside, "SoC", "Chip")
	if _, _, at, err := FromCurves(strings.NewReader(flat), strings.NewReader(other)); at != 1 || err == nil {
		t.Errorf("tables of two devices: error %v of table %d", err, at)
	}
	if _, _, _, err := FromCurves(); err == nil {
		t.Error("no tables are no error")
	}
}

// TestRealCurves reads the curves of each device that Perfetto ships.
func TestRealCurves(t *testing.T) {
	const dir = "../../../shared/data/wattson"
	paths, err := filepath.Glob(filepath.Join(dir, "*-cpu_1d.csv"))
	if err != nil || len(paths) == 0 {
		t.Skipf("no real data in %s", dir)
	}
	var out strings.Builder
	for _, path := range paths {
		var tables []io.Reader
		for _, name := range []string{path, strings.Replace(path, "_1d", "_2d", 1)} {
			if f, err := os.Open(name); err == nil {
				defer f.Close()
				tables = append(tables, f)
			}
		}
		cpu, device, _, err := FromCurves(tables...)
		if err != nil {
			t.Fatal(err)
		}
		checkRoundTrip(t, &Device{Name: "made", Voltage: units.DefaultVoltage, CPU: cpu})
		fmt.Fprintf(&out, "%s:", device)
		for _, c := range cpu.Clusters {
			fmt.Fprintf(&out, " %s %v %d", c.Name, c.Cores, len(c.Points))
		}
		out.WriteByte('\n')
	}
	const want = `MT6897: policy0 [0 1 2 3] 540 policy4 [4 5 6] 30 policy7 [7] 31
SM8750: policy0 [0 1 2 3 4 5] 17 policy6 [6 7] 16
SXR2230P: policy0 [0 1] 121 policy2 [2 3 4 5 6 7] 11
Tensor: policy0 [0 1 2 3] 250 policy4 [4 5] 14 policy6 [6 7] 17
Tensor G4: policy0 [0 1 2 3] 150 policy4 [4 5 6] 17 policy7 [7] 18
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// FuzzFromCurves checks FromCurves on any table: it returns a one-line error, or a processor
// that is equal after writing and reading.
func FuzzFromCurves(f *testing.F) {
	f.Add(flat)
	f.Add(beside)
	f.Add("device,policy,freq_khz,static,active,idle0,idle1\nx,7,1,1,1,1,1\nx,255,1,1,1,1,1\n")
	f.Fuzz(func(t *testing.T, table string) {
		cpu, _, _, err := FromCurves(strings.NewReader(table))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error is not one line: %q", err)
			}
			return
		}
		checkRoundTrip(t, &Device{Name: "made", Voltage: units.DefaultVoltage, CPU: cpu})
	})
}
