package settings

import (
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/internal/nearest"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

func setNormalize(r *reader, s *Settings, v value) {
	by, ok := map[string]analysis.NormalizedBy{
		"none": analysis.NoNormalization, "duration": analysis.ByTime, "total": analysis.ByEnergy,
		// Names in earlier versions.
		"time": analysis.ByTime, "energy": analysis.ByEnergy,
	}[v.text]
	n := analysis.Normalization{By: by}
	if method, cut := strings.CutPrefix(v.text, "calls-of "); cut {
		n.By, n.Method = analysis.ByCalls, strings.TrimSpace(method)
		ok = n.Method != ""
	} else if subject, reference, cut := strings.Cut(v.text, ":"); cut {
		var errs [2]error
		n.By = analysis.ByWork
		n.Subject, errs[0] = strconv.ParseInt(subject, 10, 32)
		n.Reference, errs[1] = strconv.ParseInt(reference, 10, 32)
		ok = errs == [2]error{} && n.Subject > 0 && n.Reference > 0
	}
	if v.kind != textValue || !ok {
		r.wrong(v, "use none, duration, total, calls-of METHOD, or how much work the subject and the reference did, such as 20:10")
		return
	}
	s.Normalize = n
}

func setMerge(r *reader, s *Settings, v value) {
	var merge preprocess.Steps
	_, ok := r.texts(v, func(item value) bool {
		return merge.Add(item.text) || r.wrong(item, "unknown step"+suggestion(item.text, preprocess.StepNames())+"; use any of "+strings.Join(preprocess.StepNames(), ", "))
	})
	if ok {
		s.Merge = &merge
	}
}

func setVoltage(r *reader, s *Settings, v value) {
	volts, err := units.ParseVoltage(v.text)
	if v.kind != numberValue && v.kind != textValue || err != nil {
		r.wrong(v, "use a number of volts above 0 and up to 1000, such as 3.7")
		return
	}
	s.Voltage = volts
}

func setBattery(r *reader, s *Settings, v value) {
	if v.kind == textValue && v.text == "" {
		s.Battery = 0
		return
	}
	charge, err := units.ParseCharge(v.text)
	if v.kind != textValue || err != nil {
		r.wrong(v, "use a number with its unit, such as 3000mAh")
		return
	}
	s.Battery = charge
}

// maxHours bounds the hours of an activity. No battery lasts a century.
const maxHours = 1_000_000

func setActivities(r *reader, s *Settings, v value) {
	var list []Activity
	_, ok := r.texts(v, func(item value) bool {
		name, text, _ := strings.Cut(item.text, "=")
		hours, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if strings.TrimSpace(name) == "" || err != nil || !(hours > 0 && hours <= maxHours) {
			return r.wrong(item, "use a name and the hours in which the activity empties a full battery, such as browsing=9.5")
		}
		list = append(list, Activity{strings.TrimSpace(name), hours})
		return true
	})
	if ok {
		s.Activities = list
	}
}

func setFrequency(r *reader, s *Settings, v value) {
	if v.kind == textValue && v.text == "" {
		s.Ingest.Frequency = 0
		return
	}
	f, err := units.ParseFrequency(v.text)
	if v.kind != textValue || err != nil {
		r.wrong(v, "use a number with its unit, such as 2.4GHz or 1500MHz")
		return
	}
	s.Ingest.Frequency = f
}

func unitNames() []string { return append([]string{"auto"}, units.UnitNames()...) }

func setUnit(r *reader, s *Settings, v value) {
	unit, err := units.ParseUnit(v.text)
	switch {
	case v.kind == textValue && v.text == "auto":
		s.Unit = nil
	case v.kind == textValue && err == nil:
		s.Unit = &unit
	default:
		r.wrong(v, nearest.Choice(v.text, unitNames()))
	}
}

// noGroups is the value of the setting group for reports without groups.
const noGroups = "none"

func setGroup(r *reader, s *Settings, v value) {
	switch known := finding.Groupings(); {
	case v.kind == textValue && v.text == noGroups:
		s.Group = ""
	case v.kind == textValue && slices.Contains(known, v.text):
		s.Group = finding.Grouping(v.text)
	default:
		r.wrong(v, nearest.Choice(v.text, append([]string{noGroups}, known...)))
	}
}

func setIgnore(r *reader, s *Settings, v value) {
	list := []Ignore{}
	if v.kind != listValue {
		r.wrong(v, "use a list of entries with task and reason")
		return
	}
	for _, item := range v.items {
		var g Ignore
		before := len(r.problems)
		if readObject(r, item, &g, ignoreKeys()); len(r.problems) > before {
			// An entry without its faulty condition would ignore too much.
			continue
		}
		if g.Task == "" && g.ID == "" {
			r.wrong(item, "an entry needs task or id")
			continue
		}
		list = append(list, g)
	}
	s.Ignore = list
}
