package settings

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/internal/nearest"
)

// powerKeys returns the settings of the power models that compute energy.
func powerKeys() []key[Settings] {
	return []key[Settings]{
		file("powerProfile", "The power_profile.xml of the phone, for modelling energy; by default a generic phone's.",
			func(s *Settings) *string { return &s.PowerProfile }),
		powerModel(),
		{
			name: "policy", flag: cli{kind: "WORD"}, defaultValue: machine.LastTrigger.String(),
			doc: "Which call pays for a component's idle tail: `last-trigger`, the call of the last operation; " +
				"`first-trigger`, the call that woke the component; `split-time`, the calls that run at that time; `utilisation`, no call, since its model has no tails.",
			schema: object{"type": "string", "enum": machine.Policies()},
			set: func(r *reader, s *Settings, v value) {
				p, err := machine.ParsePolicy(v.text)
				if v.kind != textValue || err != nil {
					r.wrong(v, nearest.Choice(v.text, machine.Policies()))
					return
				}
				s.Policy = p
			},
		},
	}
}

// exactCosts is the default of the setting compat.
const exactCosts = "exact"

// costKeys returns the settings of API cost tables, which give calls their energy.
func costKeys() []key[Settings] {
	return []key[Settings]{
		file("apiCosts", "A table of the energy of calls into the framework, as CSV or JSON. The run's energy is then the number of the app's calls times their costs. Recordings must count calls. See `docs/apicosts.md`.",
			func(s *Settings) *string { return &s.APICosts }),
		{
			name: "apiGuess", flag: cli{kind: kindSwitch}, defaultValue: false, schema: switchSchema,
			doc: "Calls without a cost in the table of `apiCosts` get the median cost of their class. Reports show this energy separately, as a guess.",
			set: func(r *reader, s *Settings, v value) { r.boolean(v, func(on bool) { s.APIGuess = on }) },
		},
		{
			name: "compat", flag: cli{kind: "RULE"}, defaultValue: exactCosts,
			doc:    "How to find costs of `apiCosts`: `exact` finds them by class, name and parameters, `orka2016` as the Orka paper does (`docs/apicosts.md`).",
			schema: object{"type": "string", "enum": []string{exactCosts, analysis.OrkaCompat}},
			set: func(r *reader, s *Settings, v value) {
				if v.kind != textValue || v.text != exactCosts && v.text != analysis.OrkaCompat {
					r.wrong(v, nearest.Choice(v.text, []string{exactCosts, analysis.OrkaCompat}))
					return
				}
				if s.APICompat = v.text; v.text == exactCosts {
					s.APICompat = ""
				}
			},
		},
	}
}

// triggerKeys returns the settings for triggers and voltage.
func triggerKeys() []key[Settings] {
	return []key[Settings]{
		file("triggers", "A YAML table of additional methods, slices, system calls, files, sockets and log lines that use a component, for the power model.",
			func(s *Settings) *string { return &s.Triggers }),
		{
			name: "voltage", flag: cli{kind: "V"}, defaultValue: 3.7, set: setVoltage,
			doc:    "The battery's voltage in volts. Power profiles and energies in µAh are converted with it.",
			schema: object{"type": "number", "exclusiveMinimum": 0, "maximum": 1000},
		},
	}
}
