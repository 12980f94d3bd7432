package appcode

import (
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
)

// A feature is a property of a call that a shrinker does not change. It is an F-method (a method of
// the framework) that the call makes, or the descriptor of the called method.
type feature uint64

// calling returns the feature of a call of an F-method.
func calling(label preprocess.LabelID) feature { return feature(mix(1, uint64(label))) }

// An occurrence is a feature at one place of a run. A place is a position in the call tree of a
// callback. samples is how many samples a profiler took there.
type occurrence struct {
	feature
	samples int64
}

// An agreement measures how many features two runs have in the same places.
//
// A sampled run misses rare calls, so even two runs of one app do not have all the same places.
// Therefore each place has a chance: the probability, in thousandths, that a second run of the app
// has the place again. Instrumented runs miss nothing, so their chance is 1.
//
// Let w be the weight of the feature at a place. The agreement of a run is a quotient:
//
//   - above, the sum of w·chance over the places where the runs agree (found);
//   - below, the sum of w·chance² over all places of the run (expected).
//
// For two runs of one app, the quotient is 1 on average, even if there are few samples. A place
// that the other run is likely to miss has little weight.
type agreement struct {
	// found and expected are the two sums, for each run.
	expected, found [2]int64
	// methods are the subject's own methods that have a place where the runs agree.
	methods map[*side]bool
	// sampled is true if at least one run misses calls.
	sampled bool
}

// certain is a chance of 1.
const certain = 1000

// add adds a place of a run to the expected sum. worth is the weight of its feature.
func (a *agreement) add(run int, worth, chance int64) {
	a.expected[run] += worth * chance / certain * chance / certain
}

// agree adds a place to the found sums of both runs. chances are the place's chances in the two
// runs.
func (a *agreement) agree(worth int64, chances [2]int64) {
	for run, chance := range chances {
		a.found[run] += worth * chance / certain
	}
}

// Two runs belong to one app only if they agree enough: by this share of the expectation, in
// thousandths, and in this number of own methods.
//
// Sampled runs need a smaller share, because their chances are estimates. Half is still more than
// the quarter of the names that is evidence for one app. minRenamed is for runs whose names
// already show that they belong to one app. It shows that a shrinker renamed a part of the app.
const (
	minAgreement = 750
	minSampled   = 500
	minMethods   = 10
	minRenamed   = 5
)

// enough reports whether the runs agree by the required share, and in the given number of methods.
// The run with the smaller expected sum decides, because a short run of an app has only some of the
// places of a long run.
func (a *agreement) enough(methods int) bool {
	if len(a.methods) < methods || min(a.expected[0], a.expected[1]) == 0 {
		return false
	}
	least := int64(minAgreement)
	if a.sampled {
		least = minSampled
	}
	agrees := func(run int) bool { return 1000*a.found[run] >= least*a.expected[run] }
	switch {
	case a.expected[0] < a.expected[1]:
		return agrees(0)
	case a.expected[1] < a.expected[0]:
		return agrees(1)
	}
	return agrees(0) && agrees(1)
}

// chances estimates whether another run of the same app has a place again. The more samples a place
// has in this run, the likelier it is.
type chances struct {
	// few[n] is the chance of a place with n samples, up to maxFewSamples. all is true if the run
	// misses nothing.
	few [maxFewSamples + 1]int64
	all bool
}

// maxFewSamples is the largest number of samples from which chances are estimated.
const maxFewSamples = 8

// newChances estimates the chances of a run from the places with few samples.
//
// Let f(k) be the number of places with k samples. The mean number of samples at a place with k
// samples is (k+1)·f(k+1)/f(k). This is Turing's estimate: I. J. Good, "The population frequencies
// of species and the estimation of population parameters", Biometrika 40 (1953), equation 2.
// Another run misses the place with the probability exp(-mean).
func newChances(places []occurrence) *chances {
	c := &chances{all: true}
	var frequency [maxFewSamples + 2]int64
	for _, p := range places {
		if p.samples == 0 {
			continue
		}
		c.all = false
		if p.samples < int64(len(frequency)) {
			frequency[p.samples]++
		}
	}
	for k := 1; k <= maxFewSamples; k++ {
		mean := int64(certain * k)
		if frequency[k] >= minFrequency {
			mean = min(mean, certain*int64(k+1)*frequency[k+1]/frequency[k])
		}
		c.few[k] = max(missProbability(mean), c.few[k-1], minChance)
	}
	return c
}

// If fewer than minFrequency places have n samples, Turing's estimate is not used for n. A chance
// is at least minChance.
const (
	minFrequency = 10
	minChance    = 100
)

// missProbability returns 1-exp(-mean), both in thousandths. It uses only integers, so all machines
// have the same result.
func missProbability(mean int64) int64 {
	// A Taylor series for exp(-x/16), with x up to 10, and then exp(-x) = exp(-x/16)^16.
	x := min(mean, 10*certain) * 1000 / 16 // in millionths
	power := 1_000_000 - x + x*x/2_000_000 - x*x/1_000_000*x/6_000_000
	for range 4 {
		power = power * power / 1_000_000
	}
	return certain - power/1000
}

// chance returns the chance of a place with this number of samples.
func (c *chances) chance(samples int64) int64 {
	switch {
	case c.all || samples > maxFewSamples:
		return certain
	case samples <= 0:
		return minChance
	}
	return c.few[samples]
}

// samplesOf returns the number of samples of a node in a run's source tree. It is 0 if the run is
// not sampled.
func samplesOf(t *preprocess.Tree, node int32) int64 {
	switch {
	case t.Source.Seen.Total() > 0:
		return t.Source.Seen.All(node)
	case t.Source.Counted == trace.EstimatedCalls:
		// A call counts as seen, even if no sample starts in it.
		return max(t.Source.Calls.Self(node)+t.Source.Recursive.Self(node), 1)
	}
	return 0
}

// descriptors makes features from the descriptors of own methods. In a descriptor, only the classes
// that both runs have keep their names, such as the framework's. A shrinker may change the others.
type descriptors struct {
	known map[string]bool
	// features caches the features. A method without a descriptor has the feature 0.
	features map[*side]feature
}

// newDescriptors finds the classes that the descriptors of both runs have.
func newDescriptors(r, o *run) descriptors {
	here, known := classesIn(r), make(map[string]bool)
	for class := range classesIn(o) {
		if here[class] {
			known[class] = true
		}
	}
	return descriptors{known, make(map[*side]feature)}
}

// classesIn returns the classes in the descriptors of a run's methods, without names that a
// shrinker probably gave.
func classesIn(r *run) map[string]bool {
	classes := make(map[string]bool)
	for _, s := range r.sides {
		for _, class := range typesOf(s.compared.Signature) {
			class = strings.TrimRight(class, "[]")
			if simple := class[strings.LastIndexByte(class, '.')+1:]; len(simple) > 2 && strings.Contains(class, ".") {
				classes[class] = true
			}
		}
	}
	return classes
}

// typesOf returns the types of a descriptor, the result type last.
func typesOf(descriptor string) []string {
	params, result, ok := name.ParseDescriptor(descriptor)
	if !ok {
		return nil
	}
	return append(params, result)
}

// feature returns the feature of a method's descriptor. ok is false if the method has no
// descriptor.
func (d descriptors) feature(s *side) (feature, bool) {
	f, ok := d.features[s]
	if !ok {
		f = d.compute(s.compared)
		d.features[s] = f
	}
	return f, f != 0
}

// compute returns the feature of a descriptor, or 0.
func (d descriptors) compute(m name.Method) feature {
	types := typesOf(m.Signature)
	if types == nil {
		return 0
	}
	var b strings.Builder
	for _, t := range types {
		if element := strings.TrimRight(t, "[]"); d.known[element] {
			b.WriteString(t)
		} else {
			b.WriteByte(kindOf(element))
			b.WriteString(t[len(element):])
		}
		b.WriteByte(',')
	}
	if strings.HasPrefix(m.Name, "<") {
		b.WriteString(m.Name)
	}
	return feature(mix(3, hashText(b.String())))
}
