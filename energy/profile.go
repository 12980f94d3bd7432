package energy

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/units"
)

// A Profile is what a power profile says of the processor.
type Profile struct {
	// prefix says whose profile it is in provenances; empty for a file's.
	prefix string
	// base flows while any core runs, on top of its cluster and the core; 0 where
	// the steps hold it.
	base current
	// clusters are the groups of cores that share a frequency, by number.
	clusters []cluster
	// steps are those of a profile that has no clusters; a single one without a
	// speed where it states no steps.
	steps []step
}

// current is in nanoamperes, the millionth of a profile's unit.
type current int64

// maxCurrent is beyond what any battery gives.
const maxCurrent current = 100_000_000_000

// mA writes a current in milliamperes, exactly.
func (c current) mA() string { return strconv.FormatFloat(float64(c)/1e6, 'f', -1, 64) }

// A cluster is some cores that share a frequency.
type cluster struct {
	// kind and number are what the profile calls it: cluster 1, policy 4.
	kind   string
	number int
	// own flows while any core of the cluster runs.
	own   current
	steps []step
}

// A step is a frequency and what a core draws at it.
type step struct {
	// kHz is 0 where the profile does not say.
	kHz  int64
	core current
}

// maxProfile bounds a profile's size. Real ones have 1 to 10 kB.
const maxProfile = 8 << 20

// profileFormat names the format in errors.
const profileFormat = "power profile"

// ReadProfile reads Android's power_profile.xml in the forms that phones have had:
// cpu.speeds and cpu.active (to Android 6), the same a cluster
// (cpu.speeds.cluster0), cpu.core_speeds, cpu.core_power and cpu.cluster_power a
// cluster beside a base in cpu.active (from Android 7), and
// cpu.scaling_step_power a policy (Android 15). All else in the file is ignored.
// Errors are *syntax.Error.
func ReadProfile(r io.Reader) (*Profile, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
	if err != nil {
		return nil, fmt.Errorf("reading power profile: %w", err)
	}
	fail := func(line int, err error, hint string) error {
		return &syntax.Error{Format: profileFormat, Line: line, Offset: -1, Err: err, Hint: hint}
	}
	switch {
	case len(data) > maxProfile:
		return nil, fail(0, fmt.Errorf("file is larger than %d MiB", maxProfile>>20), "")
	case bytes.HasPrefix(data, []byte{3, 0, 8, 0}):
		return nil, fail(0, errors.New("file is compiled XML, as it lies in an APK"), "decode it first, with apktool for example")
	}
	values, line, err := readValues(data)
	if err != nil {
		return nil, fail(line, err, "")
	}
	p, line, err := values.profile()
	if err != nil {
		return nil, fail(line, err, "")
	}
	if p.choose().total() == 0 {
		return nil, fail(0, errors.New("no current for a running CPU: neither cpu.active nor cpu.core_power states one"),
			"use a profile from the device's /system/framework/framework-res.apk")
	}
	return p, nil
}

//go:embed generic.xml
var genericXML []byte

var generic = sync.OnceValue(func() *Profile {
	p, err := ReadProfile(bytes.NewReader(genericXML))
	if err != nil {
		panic("energy: the built-in profile: " + err.Error())
	}
	p.prefix = "generic profile: "
	return p
})

// Generic returns a profile for use where there is none of the device. It is no
// device's: generic.xml says what its figures rest on.
func Generic() *Profile { return generic() }

// values holds the items and arrays of a profile by name.
type values map[string]entry

// An entry is an item, or an array with its values.
type entry struct {
	line  int
	texts []string
}

// maxDepth is deeper than any profile: device, array, value.
const maxDepth = 16

// readValues reads the items and arrays of the processor. Where a name comes twice
// the last one counts, as on a phone. On an error it returns the line.
func readValues(data []byte) (values, int, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	// What is read is ASCII, whatever encoding the file declares.
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	out := values{}
	// path are the open elements; name is the attribute of the second of them.
	var path []string
	var name string
	var text strings.Builder
	seen := false
	for {
		tok, err := d.Token()
		line, _ := d.InputPos()
		var bad *xml.SyntaxError
		switch {
		case err == io.EOF && !seen:
			return nil, 0, errors.New("the file holds no <device>")
		case err == io.EOF:
			return out, 0, nil
		case errors.As(err, &bad):
			return nil, bad.Line, errors.New(bad.Msg)
		case err != nil:
			return nil, line, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			seen = true
			path = append(path, tok.Name.Local)
			text.Reset()
			switch {
			case path[0] != "device":
				return nil, line, fmt.Errorf("the file holds <%.40s> and not <device>", path[0])
			case len(path) > maxDepth:
				return nil, line, errors.New("elements nest too deep")
			case len(path) == 2:
				if name = attr(tok, "name"); strings.HasPrefix(name, "cpu.") {
					out[name] = entry{line: line}
				}
			}
		case xml.CharData:
			text.Write(tok)
		case xml.EndElement:
			kind := strings.Join(path, "/")
			path = path[:len(path)-1]
			e, wanted := out[name]
			if wanted && (kind == "device/item" || kind == "device/array/value") {
				e.texts = append(e.texts, strings.TrimSpace(text.String()))
				out[name] = e
			}
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// numbers reads an entry's values times scale, each at most limit.
func (v values) numbers(name string, scale, limit int64) ([]int64, error) {
	var out []int64
	for _, text := range v[name].texts {
		n, err := units.Decimal(text, scale, 1)
		if err == nil && n > limit {
			err = errors.New("is too large")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %.40q %w", name, text, err)
		}
		out = append(out, n)
	}
	return out, nil
}

// steps pairs an array of speeds with one of currents. Where one is longer its
// surplus has no counterpart and is left out; without speeds the currents stand
// alone. On an error it returns the line.
func (v values) steps(speeds, currents string) ([]step, int, error) {
	kHz, err := v.numbers(speeds, 1, 1<<40)
	if err != nil {
		return nil, v[speeds].line, err
	}
	nA, err := v.numbers(currents, 1e6, int64(maxCurrent))
	if err != nil {
		return nil, v[currents].line, err
	}
	if len(kHz) > 0 {
		nA = nA[:min(len(nA), len(kHz))]
	}
	out := make([]step, len(nA))
	for i := range nA {
		out[i].core = current(nA[i])
		if len(kHz) > 0 {
			out[i].kHz = kHz[i]
		}
	}
	return out, 0, nil
}

// A layout is a way that profiles state clusters: names that the cluster's number
// follows.
type layout struct {
	kind                  string
	speeds, currents, own string
	// based is set where the currents come on top of cpu.active.
	based bool
}

// layouts are in the order of trust: first the one that says most.
var layouts = []layout{
	{kind: "cluster", speeds: "cpu.core_speeds.cluster", currents: "cpu.core_power.cluster", own: "cpu.cluster_power.cluster", based: true},
	{kind: "policy", currents: "cpu.scaling_step_power.policy", own: "cpu.scaling_policy_power.policy", based: true},
	{kind: "cluster", speeds: "cpu.speeds.cluster", currents: "cpu.active.cluster"},
}

// profile makes a Profile of what was read. The first layout counts that gives any
// current. On an error it returns the line.
func (v values) profile() (*Profile, int, error) {
	p := &Profile{}
	flat, line, err := v.steps("cpu.speeds", "cpu.active")
	if err != nil {
		return nil, line, err
	}
	for _, l := range layouts {
		if p.clusters, line, err = v.clusters(l); err != nil {
			return nil, line, err
		}
		if len(p.clusters) > 0 {
			// Beside clusters, a cpu.active without speeds is what they share.
			if l.based && len(flat) == 1 && flat[0].kHz == 0 {
				p.base = flat[0].core
			}
			return p, 0, nil
		}
	}
	p.steps = flat
	return p, 0, nil
}

// clusters reads the clusters that are stated in one layout and draw any current,
// by number. On an error it returns the line.
func (v values) clusters(l layout) ([]cluster, int, error) {
	var out []cluster
	for _, name := range slices.Sorted(maps.Keys(v)) {
		suffix, ok := strings.CutPrefix(name, l.currents)
		number, err := strconv.Atoi(suffix)
		if !ok || err != nil || number < 0 {
			continue
		}
		speeds := l.speeds + suffix
		if l.speeds != "" && len(v[speeds].texts) == 0 && len(v["cpu.speeds"].texts) > 0 {
			// Left behind in a profile of another layout.
			continue
		}
		c := cluster{kind: l.kind, number: number}
		var line int
		if c.steps, line, err = v.steps(speeds, name); err != nil {
			return nil, line, err
		}
		if own := l.own + suffix; l.own != "" {
			nA, err := v.numbers(own, 1e6, int64(maxCurrent))
			if err != nil {
				return nil, v[own].line, err
			}
			if len(nA) > 0 {
				c.own = current(nA[0])
			}
		}
		if len(running(c.steps)) > 0 {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b cluster) int { return cmp.Compare(a.number, b.number) })
	return out, 0, nil
}
