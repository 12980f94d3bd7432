// Package claim describes what a fleet states about one app. Two recordings of the app are compared
// with it. The package does not depend on samples or traces.
//
// A claim is not changed after it was made.
package claim

import "fmt"

// A Drain is the excess of an app: the additional discharge in % of a full battery per second.
type Drain struct {
	// Excess is the estimate. Half is half the width of its 95 % interval.
	Excess, Half float64
	// Reference is the discharge rate without the app. It is 0 if unknown.
	Reference float64
}

// Minutes returns how many minutes sooner a full battery is empty if the app runs all the time.
// least and most are the ends of the interval (Carat, SenSys 2013, §2.4: a battery lasts 100/µ).
func (d Drain) Minutes() (minutes, least, most float64) {
	life := func(excess float64) float64 {
		without, with := 100/d.Reference/60, 100/(d.Reference+excess)/60
		return without - with
	}
	// The rate with the app is assumed to be at least a tenth of Reference. A rate of zero would
	// give an infinite battery life.
	lowest := -d.Reference * 0.9
	return life(max(lowest, d.Excess)), life(max(lowest, d.Excess-d.Half)), life(max(lowest, d.Excess+d.Half))
}

// Least returns the lower end of the interval.
func (d Drain) Least() float64 { return d.Excess - d.Half }

// Most returns the upper end of the interval.
func (d Drain) Most() float64 { return d.Excess + d.Half }

// Exceeds reports whether d is significantly larger than lower: their intervals do not overlap.
func (d Drain) Exceeds(lower Drain) bool { return d.Least() > lower.Most() }

// A Condition is a requirement such as "network lte" or, if Not is set, "network not lte".
type Condition struct {
	Feature, Value string
	Not            bool
}

// String returns a condition as text, such as "network lte" or "os not 5.0".
func (c Condition) String() string {
	if c.Not {
		return fmt.Sprintf("%s not %s", c.Feature, c.Value)
	}
	return fmt.Sprintf("%s %s", c.Feature, c.Value)
}

// A Version is the excess of an app in one of its versions.
type Version struct {
	Name string
	Drain
	// Enough reports whether enough clients ran the version for an estimate. If it is false, the
	// other fields are unknown.
	Enough bool
}

// A Claim is what a fleet states about an app.
type Claim struct {
	App string
	// Judged reports whether enough clients ran the app to judge it.
	Judged bool
	// Hog reports whether the app uses more energy on all clients. If it does not, Bugs is the
	// number of clients on which the app uses more energy than on other clients.
	Hog  bool
	Bugs int
	// Clients is the number of clients that ran the app.
	Clients int64
	// Drain is the app's excess, estimated together with the excesses of other hogs. It is zero if
	// the app is not a hog.
	Drain
	// Confounded lists apps that the fleet's data cannot distinguish from the app.
	Confounded []string
	// Conditions lists the conditions under which the excess is largest. It is empty if they make
	// no difference. At is the excess under these conditions. If the app is not a hog, At is the
	// median excess of its bugs.
	Conditions []Condition
	At         Drain
	// Versions are the versions of the app in the fleet's samples, the newest first.
	Versions []Version
}

// Components returns the device components of a condition, as power models name them. For example,
// "network wifi" has the component "wifi". Conditions on the model have none.
func (c Condition) Components() []string {
	about, ok := features[c.Feature]
	if !ok {
		return nil
	}
	if parts, ok := about[c.key()]; ok {
		return parts
	}
	if c.Not {
		return nil
	}
	return about["*"]
}

// key returns the condition's value as in features, such as "on" or "not off".
func (c Condition) key() string {
	if c.Not {
		return "not " + c.Value
	}
	return c.Value
}

// features maps features and their values to components. The key "*" is for all values that are not
// listed.
var features = map[string]map[string][]string{
	"network": {
		"wifi": {"wifi"}, "not wifi": {"cellular"}, "not mobile": {"wifi"}, "not cellular": {"wifi"},
		"none": nil, "disconnected": nil, "unknown": nil, "bluetooth": {"bluetooth"}, "*": {"cellular"},
	},
	"network type":   {"wifi": {"wifi"}, "not wifi": {"cellular"}, "none": nil, "unknown": nil, "*": {"cellular"}},
	"mobile network": {"none": nil, "unknown": nil, "*": {"cellular"}},
	"mobile data":    {"on": {"cellular"}, "not off": {"cellular"}},
	"roaming":        {"on": {"cellular"}, "not off": {"cellular"}},
	"wifi":           {"on": {"wifi"}, "not off": {"wifi"}},
	"bluetooth":      {"on": {"bluetooth"}, "not off": {"bluetooth"}},
	"location":       {"on": {"gps"}, "not off": {"gps"}, "gps": {"gps"}},
	"screen":         {"on": {"display"}, "not off": {"display"}},
}

// Components returns the components of all conditions in Conditions, without duplicates.
func (c *Claim) Components() []string {
	var all []string
	seen := map[string]bool{}
	for _, w := range c.Conditions {
		for _, part := range w.Components() {
			if !seen[part] {
				seen[part] = true
				all = append(all, part)
			}
		}
	}
	return all
}

// Drains reports whether the app uses more energy in the fleet, on all clients or on some.
func (c *Claim) Drains() bool { return c.Hog || c.Bugs > 0 }

// Worst returns the largest excess of the app: At if the claim has conditions or is not about a
// hog, and Drain otherwise.
func (c *Claim) Worst() Drain {
	if len(c.Conditions) > 0 || !c.Hog {
		return c.At
	}
	return c.Drain
}
