// Package profile reads power profiles. A power profile, power_profile.xml, is a file in which the
// maker of a phone states the power of each component. Android's battery statistics use the same
// file.
//
// A [Profile] has all items of the file, and parses the items of the processor. [Profile.CPU]
// chooses one power for recordings that state neither core nor frequency.
//
// Profiles are immutable and safe for concurrent use.
package profile

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/units"
)

// A Profile is a parsed power profile.
type Profile struct {
	// prefix is put before the description of a power's source. It is empty for a profile from a
	// file.
	prefix string
	items  items
	// Base is an additional current while any core runs, besides the currents of the cluster and
	// the core. It is 0 if the steps include it.
	Base units.Current
	// Clusters are groups of cores with a common frequency, by number.
	Clusters []Cluster
	// Steps are the steps of a profile without clusters. If the profile states no steps, there is a
	// single step without a speed.
	Steps []Step
}

// maxCurrent is more than the current of any battery.
const maxCurrent = 100 * units.Ampere

// A Cluster is a group of cores that share a frequency.
type Cluster struct {
	// Kind and Number form the name of the cluster in the profile, such as cluster 1 or policy 4.
	Kind   string
	Number int
	// Own is an additional current while any core of the cluster runs.
	Own   units.Current
	Steps []Step
}

// A Step is a frequency, with the current of a core at this frequency.
type Step struct {
	// Frequency is 0 if the profile does not state it.
	Frequency units.Frequency
	Core      units.Current
}

// maxProfile bounds a profile's size. Real profiles have 1 to 10 kB.
const maxProfile = 8 << 20

// Read reads Android's power_profile.xml. It reads all forms of this file that phones have used.
// The processor has several forms. Up to Android 6, its items are cpu.speeds and cpu.active. Some
// phones have these items per cluster (cpu.speeds.cluster0). From Android 7 on, the items are
// cpu.core_speeds, cpu.core_power and cpu.cluster_power per cluster, with a base in cpu.active. In
// Android 15, the item is cpu.scaling_step_power per policy. Any other profile is an error. Errors
// are *syntax.Error.
func Read(r io.Reader) (*Profile, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
	if err != nil {
		return nil, fmt.Errorf("reading power profile: %w", err)
	}
	switch {
	case len(data) > maxProfile:
		return nil, fail(0, fmt.Errorf("file is larger than %d MiB", maxProfile>>20), "")
	case bytes.HasPrefix(data, []byte{3, 0, 8, 0}):
		return nil, fail(0, errors.New("file is compiled XML, as in an APK"), "decode it first, with apktool for example")
	}
	items, line, err := readItems(data)
	if err != nil {
		return nil, fail(line, err, "")
	}
	p, line, err := items.profile()
	if err != nil {
		return nil, fail(line, err, "")
	}
	if p.choose().total() == 0 {
		return nil, fail(0, errors.New("no current for a running CPU: neither cpu.active nor cpu.core_power states one"),
			"use a profile from the device's /system/framework/framework-res.apk")
	}
	return p, nil
}

// fail returns an error of a power profile at a line. Line 0 means that the error has no particular
// line.
func fail(line int, err error, hint string) error {
	return &syntax.Error{Format: "power profile", Line: line, Offset: -1, Err: err, Hint: hint}
}

//go:embed generic.xml
var genericXML []byte

var generic = sync.OnceValue(func() *Profile {
	p, err := Read(bytes.NewReader(genericXML))
	if err != nil {
		panic("profile: the built-in profile: " + err.Error())
	}
	p.prefix = "generic profile: "
	return p
})

// Generic returns a profile for devices that have none. It describes no real device. generic.xml
// explains its figures.
func Generic() *Profile { return generic() }

// maxFrequency is more than the frequency of any processor.
const maxFrequency = 1 << 40 * units.Kilohertz

// steps pairs an array of speeds with an array of currents. It drops the surplus values of the
// longer array. Without speeds, it returns only currents. On an error, steps returns the line of
// the error.
func (v items) steps(speeds, currents string) ([]Step, int, error) {
	hertz, err := v.numbers(speeds, int64(units.Kilohertz), int64(maxFrequency))
	if err != nil {
		return nil, v[speeds].line, err
	}
	nA, err := v.numbers(currents, int64(units.Milliampere), int64(maxCurrent))
	if err != nil {
		return nil, v[currents].line, err
	}
	if len(hertz) > 0 {
		nA = nA[:min(len(nA), len(hertz))]
	}
	out := make([]Step, len(nA))
	for i := range nA {
		out[i].Core = units.Current(nA[i])
		if len(hertz) > 0 {
			out[i].Frequency = units.Frequency(hertz[i])
		}
	}
	return out, 0, nil
}

// A layout is a naming scheme for clusters. The number of the cluster follows each name.
type layout struct {
	kind                  string
	speeds, currents, own string
	// based means that the currents are in addition to cpu.active.
	based bool
}

// layouts are in order of preference. The most detailed layout is first.
var layouts = []layout{
	{kind: "cluster", speeds: "cpu.core_speeds.cluster", currents: "cpu.core_power.cluster", own: "cpu.cluster_power.cluster", based: true},
	{kind: "policy", currents: "cpu.scaling_step_power.policy", own: "cpu.scaling_policy_power.policy", based: true},
	{kind: "cluster", speeds: "cpu.speeds.cluster", currents: "cpu.active.cluster"},
}

// profile makes a Profile from items. It uses the first layout that states any current. On an
// error, it returns the line of the error.
func (v items) profile() (*Profile, int, error) {
	p := &Profile{items: v}
	flat, line, err := v.steps("cpu.speeds", "cpu.active")
	if err != nil {
		return nil, line, err
	}
	for _, l := range layouts {
		if p.Clusters, line, err = v.clusters(l); err != nil {
			return nil, line, err
		}
		if len(p.Clusters) > 0 {
			// If a profile has clusters and its cpu.active has no speeds, cpu.active is the current
			// that the clusters share.
			if l.based && len(flat) == 1 && flat[0].Frequency == 0 {
				p.Base = flat[0].Core
			}
			return p, 0, nil
		}
	}
	p.Steps = flat
	return p, 0, nil
}

// clusters reads those clusters of a layout that state any current. They are in the order of their
// numbers. On an error, it returns the line of the error.
func (v items) clusters(l layout) ([]Cluster, int, error) {
	var out []Cluster
	for _, name := range v.names() {
		suffix, ok := strings.CutPrefix(name, l.currents)
		number, err := strconv.Atoi(suffix)
		if !ok || err != nil || number < 0 {
			continue
		}
		speeds := l.speeds + suffix
		if l.speeds != "" && len(v[speeds].texts) == 0 && len(v["cpu.speeds"].texts) > 0 {
			// These items remain from a profile with another layout.
			continue
		}
		c := Cluster{Kind: l.kind, Number: number}
		var line int
		if c.Steps, line, err = v.steps(speeds, name); err != nil {
			return nil, line, err
		}
		if own := l.own + suffix; l.own != "" {
			nA, err := v.numbers(own, int64(units.Milliampere), int64(maxCurrent))
			if err != nil {
				return nil, v[own].line, err
			}
			if len(nA) > 0 {
				c.Own = units.Current(nA[0])
			}
		}
		if len(running(c.Steps)) > 0 {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Cluster) int { return cmp.Compare(a.Number, b.Number) })
	return out, 0, nil
}
