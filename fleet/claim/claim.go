// Package claim is what a fleet of devices says of one app, in figures that can be held to two
// recordings of it. It knows neither samples nor traces.
//
// A claim is a value, and is not changed once made.
package claim

import "fmt"

// A Drain is how much more an app drains, in % of a full battery a second.
type Drain struct {
	// Excess is the estimate, Half half of its interval of 95 %.
	Excess, Half float64
	// Reference is what is drained without it; 0 is not known.
	Reference float64
}

// Minutes is how much sooner a full battery is empty if the app runs all the time, with the ends
// of the interval (Carat, SenSys 2013, §2.4: the life of a battery is 100/µ).
func (d Drain) Minutes() (minutes, least, most float64) {
	life := func(excess float64) float64 {
		without, with := 100/d.Reference/60, 100/(d.Reference+excess)/60
		return without - with
	}
	// Below nothing at all the life of a battery is no longer longer.
	lowest := -d.Reference * 0.9
	return life(max(lowest, d.Excess)), life(max(lowest, d.Excess-d.Half)), life(max(lowest, d.Excess+d.Half))
}

// Least and Most are the ends of the interval.
func (d Drain) Least() float64 { return d.Excess - d.Half }

// Most is the upper end of the interval.
func (d Drain) Most() float64 { return d.Excess + d.Half }

// Apart says whether the intervals of two drains do not meet, and the other is the lower one.
func (d Drain) Apart(lower Drain) bool { return d.Least() > lower.Most() }

// A Condition is that a feature of a device has a value, or that it has not.
type Condition struct {
	Feature, Value string
	Not            bool
}

// String writes a condition, such as "network lte" or "os not 5.0".
func (c Condition) String() string {
	if c.Not {
		return fmt.Sprintf("%s not %s", c.Feature, c.Value)
	}
	return fmt.Sprintf("%s %s", c.Feature, c.Value)
}

// A Version is what an app drains in one of its versions.
type Version struct {
	Name string
	Drain
	// Enough says whether enough clients ran it to tell. Nothing else is known where not.
	Enough bool
}

// A Claim is what a fleet says of an app.
type Claim struct {
	App string
	// Judged says whether enough clients ran it to tell.
	Judged bool
	// Hog says whether the app drains wherever it runs, Bugs on how many clients it drains more
	// than on others, where it is none.
	Hog  bool
	Bugs int
	// Clients is how many ran it.
	Clients int64
	// Drain is what it drains beside the other hogs; zero of an app that is no hog.
	Drain
	// Like are apps that the fleet cannot tell from it.
	Like []string
	// Where are the conditions under which it drains the most, none if it drains alike under all,
	// and At is what it drains there.
	Where []Condition
	At    Drain
	// Versions are those that the fleet's samples name, the newest first.
	Versions []Version
}

// Components are the parts of a device that a condition is about, in the words of power models;
// none for conditions that are about none, such as the model.
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

// key is how a table has the condition's value.
func (c Condition) key() string {
	if c.Not {
		return "not " + c.Value
	}
	return c.Value
}

// features are the components that values of features are about. What is on works; * stands for any
// other value, and "not" for any but one.
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

// Components are the parts of a device that the conditions of a claim are about, each once.
func (c *Claim) Components() []string {
	var all []string
	seen := map[string]bool{}
	for _, w := range c.Where {
		for _, part := range w.Components() {
			if !seen[part] {
				seen[part] = true
				all = append(all, part)
			}
		}
	}
	return all
}

// Drains says whether the fleet saw the app drain: wherever it runs, or on some clients.
func (c *Claim) Drains() bool { return c.Hog || c.Bugs > 0 }

// Worst is what the app drains where it drains the most: under the conditions of the claim, or else
// everywhere.
func (c *Claim) Worst() Drain {
	if len(c.Where) > 0 || !c.Hog {
		return c.At
	}
	return c.Drain
}
