package settings

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/ingest/align"
	"github.com/diffprof/diffprof/internal/nearest"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// A key describes a setting, or a part of a setting, such as error in severity.
type key[T any] struct {
	// name is the setting's name. The names of its flag and of the editors' settings are
	// derived from it.
	name string
	// doc is the setting's text in Markdown. The first sentence is the flag's help.
	doc string
	// stage is the setting's heading in help and in the documentation.
	stage string
	// flag describes the setting's flag. The zero cli means no flag.
	flag cli
	// defaultValue is the default as written in a project file, or nil.
	defaultValue any
	// schema is the JSON Schema of the setting's values, without the text and the default.
	schema object
	// set reads a value into a T, or reports what is wrong with it.
	set func(*reader, *T, value)
}

type object = map[string]any

// The headings of the settings, in the order of the documentation.
const (
	Reading  = "Reading the traces"
	Matching = "Matching"
	Output   = "Output"
	Editors  = "Editors"
)

// Patterns of texts that settings accept in addition to numbers. A field on an editor's page of
// settings has one type only, so editors send such numbers as texts.
const (
	countPattern = "^(auto|0|[1-9][0-9]{0,8})$"
	alphaPattern = "^(auto|paper|0|[1-9][0-9]{0,8})$"
	sharePattern = `[0-9]+(\.[0-9]+)?%`
	// positivePattern is a share above 0.
	positivePattern = `(0*[1-9][0-9]*(\.[0-9]+)?|0+\.0*[1-9][0-9]*)%`
	positiveOrAuto  = "^(" + positivePattern + "|auto)$"
	namePattern     = "^.*$"
	alignPattern    = `^(clock|auto|bursts|[+-]?([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$`
	// An empty charge means the charge in the power model.
	chargePattern   = `^([0-9]+(\.[0-9]+)? ?([mµu]?Ah))?$`
	sizePattern     = `[0-9]+(\.[0-9]+)? ?([kKmMgGtTpPeE][iI]?)?[bB]?`
	activityPattern = `^[^=]+= ?[0-9]+(\.[0-9]+)?$`
)

var (
	textSchema   = object{"type": "string"}
	textsSchema  = object{"type": "array", "items": textSchema}
	switchSchema = object{"type": "boolean"}
	countSchema  = object{"type": "integer", "minimum": 0, "maximum": math.MaxInt32}
	autoSchema   = object{"type": []string{"integer", "string"}, "minimum": 0, "maximum": math.MaxInt32, "pattern": countPattern}
	// A process can be given by name or by number.
	processSchema = object{"type": []string{"integer", "string"}, "minimum": 0, "pattern": namePattern}
	sizeSchema    = object{"type": []string{"integer", "string"}, "minimum": 1, "pattern": "^" + sizePattern + "$"}
	sizeOrAuto    = with(sizeSchema, "pattern", "^("+sizePattern+"|auto)$")
)

// shareSchema allows a fraction, a percentage or a word.
func shareSchema(word string) object {
	return object{"type": []string{"number", "string"}, "minimum": 0, "maximum": 1, "pattern": "^(" + sharePattern + "|" + word + ")$"}
}

// keys returns all settings, in the order of the documentation.
var keys = sync.OnceValue(func() []key[Settings] {
	return slices.Concat(readingKeys(), matchingKeys(), outputKeys(), editorKeys())
})

// inputKeys returns the settings for the files of the two recordings.
func inputKeys() []key[Settings] {
	const (
		mapping = "The R8 or ProGuard mapping file (mapping.txt) that restores the original names%s."
		flows   = "The file of hand-overs between threads%s; by default the trace's name followed by `.flows`, if this file exists."
	)
	return []key[Settings]{
		argument("subject", "The trace to report on: your app, or its new version. A pattern such as `new/*.trace`, or a folder of iterations, names repeated runs.",
			func(s *Settings) *string { return &s.Subject.Path }),
		argument("reference", "The trace to compare with: a similar app, or the old version. It may also name repeated runs.",
			func(s *Settings) *string { return &s.Reference.Path }),
		file("mappingSubject", mapping, func(s *Settings) *string { return &s.Subject.Mapping }),
		file("mappingReference", mapping, func(s *Settings) *string { return &s.Reference.Mapping }),
		file("flowsSubject", flows, func(s *Settings) *string { return &s.Subject.Flows }),
		file("flowsReference", flows, func(s *Settings) *string { return &s.Reference.Flows }),
	}
}

// processKeys returns the settings that choose a process in each recording.
func processKeys() []key[Settings] {
	return []key[Settings]{
		process("processSubject", "The process of the subject to read, instead of `process`.",
			func(s *Settings) *string { return &s.Subject.Process }),
		process("processReference", "The process of the reference to read, instead of `process`.",
			func(s *Settings) *string { return &s.Reference.Process }),
	}
}

// besideKeys returns the settings for measurements during a run, such as a power meter's table.
func besideKeys() []key[Settings] {
	const with = "Measurements during the run%s: a power meter's table, battery statistics, or a system trace."
	return []key[Settings]{
		measured("withSubject", with, func(s *Settings) *[]string { return &s.Subject.With }),
		measured("withReference", with, func(s *Settings) *[]string { return &s.Reference.With }),
		{
			name: "align", flag: cli{kind: "TIME"}, defaultValue: "clock", schema: object{"type": "string", "pattern": alignPattern},
			doc: "How to align measurements with their run: by the `clock` that both use; by the time in the run at which the measurement begins, such as 1.5s; by the `bursts` of instrument --bursts; or `auto`, by the first of these that works, or else by the run's busy times and the power.",
			set: func(r *reader, s *Settings, v value) {
				switch shift, err := time.ParseDuration(v.text); {
				case v.kind != textValue:
					r.wrong(v, "use clock, auto, bursts, or a time such as 1.5s")
				case v.text == "clock":
					s.Align = align.Alignment{}
				case v.text == "auto":
					s.Align = align.Alignment{Auto: true}
				case v.text == "bursts":
					s.Align = align.Alignment{Bursts: true}
				case err != nil:
					r.wrong(v, "use clock, auto, bursts, or a time such as 1.5s")
				default:
					s.Align = align.Alignment{Shift: &shift}
				}
			},
		},
	}
}

// pairsAndPair returns the settings pairs and pair: named pairs of recordings, and the pair to
// compare.
func pairsAndPair() []key[Settings] {
	return []key[Settings]{
		{
			name: "pairs", defaultValue: object{}, set: setPairs,
			doc:    "More pairs of traces, each with a name, such as one per flavour. A pair has its own traces, mappings, hand-overs, processes and measurements, and shares the other settings.",
			schema: object{"type": "object", "additionalProperties": with(objectSchema(pairKeys()), "required", []string{"subject", "reference"})},
		},
		text("pair", "NAME", "Which of the `pairs` to compare. The default is the `subject` and the `reference`, or the first of the pairs if these are not given.",
			func(s *Settings) *string { return &s.Pair }),
	}
}

// readingKeys returns the settings that select and read the inputs.
func readingKeys() []key[Settings] {
	keeping := append(slices.Clone(all), "add")
	costing := slices.DeleteFunc(slices.Clone(keeping), func(command string) bool { return command == "info" })
	measuring := append(slices.Clone(keeping), "fit")
	owning := under(Reading, slices.Concat(all, historyCommands), methodKeys())
	for i := range owning {
		// The command history add stores lines, so it has these flags, too. The app's code converts
		// positions to lines, and the sources provide the texts of lines.
		if owning[i].name == "sources" || owning[i].name == "classpath" {
			owning[i].flag.commands = append(slices.Clone(owning[i].flag.commands), "add")
		}
	}
	return slices.Concat(
		under(Reading, append(slices.Clone(sideCommands), "add"), inputKeys()), under(Reading, append(slices.Clone(sideCommands), "add", "fit"), besideKeys()),
		under(Reading, pairCommands, slices.Concat(processKeys(), pairsAndPair())),
		under(Reading, measuring, recordingKeys()), owning,
		under(Reading, keeping, powerKeys()), under(Reading, costing, costKeys()), under(Reading, measuring, triggerKeys()),
		under(Reading, slices.Concat(sideCommands, historyCommands, []string{"group", "add", "list", "show", "remove"}), []key[Settings]{file("history",
			"The file in which `diffprof history` stores runs and finds names such as `history:4f2c1a`; by default `.diffprof/history.db` at the root of the repository.",
			func(s *Settings) *string { return &s.History })}),
	)
}

// recordingKeys returns the settings for reading a recording.
func recordingKeys() []key[Settings] {
	return []key[Settings]{
		{
			name: "foldedUnit", flag: cli{kind: "UNIT"}, defaultValue: unstatedUnit,
			doc:    "The unit of the values in folded stacks: a unit of energy or of processor time. Without a unit, the values are not energy.",
			schema: object{"type": "string", "enum": append([]string{unstatedUnit}, units.ValueUnitNames()...)},
			set: func(r *reader, s *Settings, v value) {
				if v.kind == textValue && v.text == unstatedUnit {
					s.Ingest.Unit = units.ValueUnit{}
					return
				}
				unit, err := units.ParseValueUnit(v.text)
				if v.kind != textValue || err != nil {
					r.wrong(v, nearest.Choice(v.text, append([]string{unstatedUnit}, units.ValueUnitNames()...)))
					return
				}
				s.Ingest.Unit = unit
			},
		},
		text("sampleType", "TYPE", "Which values to read from profiles with several values per sample, such as `cpu`, `cpu/nanoseconds` or `cpu-cycles`. `wall` is elapsed time. The default is energy, else processor time, else the profile's own default.",
			func(s *Settings) *string { return &s.Ingest.SampleType }),
		{
			name: "cpuFrequency", flag: cli{kind: "FREQUENCY"}, defaultValue: "",
			doc:    "The frequency of the processor, such as `2.4GHz`. It converts samples of cycles to processor time; without it they remain counts.",
			schema: object{"type": "string", "pattern": `^$|^[0-9.]+ ?[GMk]?Hz$`, "examples": []any{"2.4GHz", "1500MHz"}},
			set:    setFrequency,
		},
		folder("symfs", "A folder with the programs and libraries of a recording of perf, simpleperf or samply, for functions and lines: found by path or by build id. `/` uses this machine's files.",
			func(s *Settings) *string { return &s.Ingest.Symfs }),
		process("process", "The process to read from a recording of several processes, by its name or its number. A recording of one process is read completely.",
			func(s *Settings) *string { return &s.Ingest.Process }),
		{
			name: "partial", flag: cli{kind: kindSwitch}, defaultValue: false, schema: switchSchema,
			doc: "Read a truncated recording up to its end, instead of rejecting it.",
			set: func(r *reader, s *Settings, v value) { r.boolean(v, func(on bool) { s.Ingest.Partial = on }) },
		},
		{
			name: "maxExpanded", flag: cli{kind: "SIZE"}, defaultValue: "4GiB", schema: sizeSchema,
			doc: "The largest size of a trace after decompression, or through a pipe, such as `8GiB`.",
			set: func(r *reader, s *Settings, v value) { r.size(v, &s.Ingest.MaxExpanded, false) },
		},
		{
			name: "maxMemory", flag: cli{kind: "SIZE"}, defaultValue: "auto", schema: sizeOrAuto,
			doc: "The most memory for trees and matchings, such as `8GiB`, or `auto` for three quarters of what is free.",
			set: func(r *reader, s *Settings, v value) { r.size(v, &s.MaxMemory, true) },
		},
	}
}

// methodKeys returns the settings for the owners of methods and for merging.
func methodKeys() []key[Settings] {
	return []key[Settings]{
		packages("appPackages", groupsSchema(), "Packages of the app: `com.mine`, or `com.mine.*` with all subpackages. By default a package belongs to the app unless the built-in tables of Android and the JDK list it.",
			func(s *Settings) *[]string { return &s.AppPackages }),
		packages("frameworkPackages", groupsSchema(), "Packages that count as framework, so that calls into them are tasks: `okhttp3`, `okhttp3.*` with all subpackages, a group of libraries such as `@okhttp`, or `@libraries` for all groups.",
			func(s *Settings) *[]string { return &s.FrameworkPackages }),
		packages("ownPackages", textsSchema, "The packages of the app's own code: `com.mine`, or `com.mine.*` with all subpackages. By default the app's manifests and sources decide, or else its mapping, or else the groups of libraries.",
			func(s *Settings) *[]string { return &s.OwnPackages }),
		paths("manifests", KindFile, "The app's APK, AndroidManifest.xml or build.gradle: the packages that it names, and their subpackages, are the app's own.",
			func(s *Settings) *[]string { return &s.Manifests }),
		paths("sources", KindFolder, "Folders of the app's Java and Kotlin sources: their packages are the app's own, and their classes define the class hierarchy. An editor adds the folders of the workspace.",
			func(s *Settings) *[]string { return &s.Sources }),
		{
			name: "merge", flag: cli{kind: "LIST", commas: true}, defaultValue: preprocess.StepNames(), set: setMerge,
			doc: "The steps of preprocessing to run. An empty list runs none.",
			schema: object{"type": "array", "uniqueItems": true, "items": object{"type": "string", "enum": preprocess.StepNames(), "enumDescriptions": []string{
				"attaches work that the framework did later to the app call that requested it",
				"removes the recorder's own work from the tasks",
				"removes waiting from the tasks if energies are of elapsed time",
				"compares methods by the parts of their names that both runs have: simpleperf and pprof omit parameters, async-profiler adds marks",
				"removes the native code that runs Java and other managed code: interpreters, stubs, and the kernel below them",
				"removes methods that compilers insert, and the numbers of lambdas",
				"starts a path where its work starts, without the calls that started the thread",
				"merges the app's own methods into the callback that called them",
				"merges a superclass's method into the overriding method that calls it, and treats the two methods as one in the matching",
			}}},
		},
		paths("classpath", KindFile, "The app's classes: jars, APKs, dex or class files, or folders with such files. They show which class extends which, and on which lines the app's own methods make their calls.",
			func(s *Settings) *[]string { return &s.Classpath }),
	}
}

// alphaRules are the words in the setting alpha that represent a rule, such as auto.
var alphaRules = map[string]int{"auto": analysis.AutoAlpha, "paper": analysis.PaperAlpha}

// AlphaRule returns the rule for a word in the setting alpha, such as auto.
func AlphaRule(word string) (rule int, ok bool) {
	rule, ok = alphaRules[word]
	return rule, ok
}

// matchingKeys returns the settings for matching.
func matchingKeys() []key[Settings] {
	return slices.Concat(under(Matching, matchCommands, []key[Settings]{
		{
			name: "alpha", flag: cli{kind: "auto|paper|N"}, defaultValue: "auto",
			doc: "By how many steps the call paths of a pair may differ: a whole number, or a rule that chooses a number up to 5. " +
				"`auto` takes the smallest number for which one more step finds hardly any more counterparts; `paper` uses the rule of the DiffProf paper (`docs/matching.md`).",
			schema: with(with(autoSchema, "pattern", alphaPattern), "examples", []any{"auto", "paper", 0, 1, 2, 3, 4, 5}),
			set:    func(r *reader, s *Settings, v value) { r.alpha(v, &s.Alpha) },
		},
		{
			name: "match", flag: cli{kind: "WORD"}, defaultValue: "likeness",
			doc:    "How tasks are matched: `lemma` as in the DiffProf paper; `likeness` also by names, callees and neighboring calls, and without pairs that have little evidence.",
			schema: object{"type": "string", "enum": []string{"likeness", "lemma"}},
			set: func(r *reader, s *Settings, v value) {
				switch {
				case v.kind == textValue && v.text == "likeness":
					s.Matching.Lemma = false
				case v.kind == textValue && v.text == "lemma":
					s.Matching.Lemma = true
				default:
					r.wrong(v, "use likeness or lemma")
				}
			},
		},
		{
			name: "threads", flag: cli{kind: "N"}, defaultValue: 0, schema: countSchema,
			doc: "The largest number of threads for matching; 0 means one per processor (one less in the language server).",
			set: func(r *reader, s *Settings, v value) { r.count(v, &s.Matching.Threads) },
		},
	}), under(Matching, slices.Concat(pairCommands, historyCommands, []string{"noise"}), []key[Settings]{
		{
			name: "normalize", flag: cli{kind: "HOW"}, defaultValue: "none",
			doc: "What to scale energies to, for runs of different lengths: the subject's `duration` (rates); its `total` energy (shares); " +
				"its calls of a method, such as `calls-of Choreographer.doFrame`; or, as `20:10`, the numbers of actions in the subject and in the reference. Numbers of calls are not shown.",
			schema: object{"type": "string", "pattern": "^(none|duration|total|time|energy|calls-of .+|[1-9][0-9]{0,8}:[1-9][0-9]{0,8})$", "examples": []any{"none", "duration", "total"}},
			set:    setNormalize,
		},
	}))
}

// outputKeys returns the settings for output.
func outputKeys() []key[Settings] {
	return slices.Concat(
		under(Output, slices.Concat(reportCommands, historyCommands), []key[Settings]{{
			name: "unit", flag: cli{kind: "UNIT"}, defaultValue: "auto", set: setUnit,
			doc:    "The unit in which energy is shown; `auto` chooses it by the amounts.",
			schema: object{"type": "string", "enum": unitNames()},
		}}),
		under(Output, []string{"profile", "compare"}, []key[Settings]{{
			name: "battery", flag: cli{kind: "CHARGE"}, set: setBattery,
			doc:    "The charge of a full battery, such as `3000mAh`, for shares of a battery and claims of the `fleet`. The default is the charge in the power model or the power profile.",
			schema: object{"type": "string", "pattern": chargePattern},
		}}),
		under(Output, []string{"profile"}, []key[Settings]{{
			name: "activity", flag: cli{kind: "NAME=HOURS"}, defaultValue: []string{}, set: setActivities,
			doc:    "Activities and the hours in which each empties a full battery, such as `browsing=9.5`. `diffprof profile` shows how long each could run with the energy of the run.",
			schema: object{"type": "array", "items": object{"type": "string", "pattern": activityPattern}},
		}}),
		under(Output, []string{"compare", "top", "lines", "profile", "packages", "group", "noise", "blame"}, []key[Settings]{{
			name: "top", flag: cli{kind: "auto|N"}, defaultValue: "auto", schema: autoSchema,
			doc: "The largest number of rows to list, such as tasks, methods or packages; 0 means all, and `auto` means 20 in text, 10 in markdown, 500 in html and all in json.",
			set: func(r *reader, s *Settings, v value) { r.countOrAuto(v, &s.Top) },
		}}),
		under(Output, []string{"compare", "flask"}, []key[Settings]{
			file("fleet", "The file that `diffprof fleet analyze` wrote. A comparison shows whether it agrees with the fleet. Tasks that may be the reason why the app uses more are marked as suspect and listed first.",
				func(s *Settings) *string { return &s.Fleet }),
			text("fleetApp", "NAME", "The app's name in the `fleet`. The default is the name of the recording's process, or a package of the app's own code.",
				func(s *Settings) *string { return &s.FleetApp }),
		}),
		under(Output, []string{"compare"}, []key[Settings]{
			{
				name: "group", flag: cli{kind: "WHAT"}, defaultValue: noGroups, set: setGroup,
				doc:    "How to group tasks in reports: by their `method`, by `caller` (the app's own method that calls them, directly or through a library), by the `package` of this caller, or by the `library` that calls them.",
				schema: object{"type": "string", "enum": append([]string{noGroups}, finding.Groupings()...)},
			},
			{
				name: "nest", flag: cli{kind: kindSwitch}, defaultValue: false, schema: switchSchema,
				doc: "List tasks after the task that contains them, indented, in text reports.",
				set: func(r *reader, s *Settings, v value) { r.boolean(v, func(on bool) { s.Nest = on }) },
			},
		}),
		under(Output, []string{"compare", "baseline", "doctor"}, []key[Settings]{
			positive("noise", "auto", "The variation between runs, for a side with only one run: the relative standard deviation of the energy, such as `5%`. The default comes from typical recordings and the number of samples (`docs/repeats.md`).",
				func(s *Settings) *float64 { return &s.Noise }),
			positive("builds", "auto", "The noise between builds of one program: the relative standard deviation of its energy, such as `1%`. The default comes from `equalBuilds`, else from the history if stored runs are compared, else it is 3% (`docs/repeats.md`).",
				func(s *Settings) *float64 { return &s.Builds }),
			paths("equalBuilds", KindFolder, "Folders that `diffprof record --aa` wrote, with recordings of equal builds. The noise between builds is computed from them.",
				func(s *Settings) *[]string { return &s.EqualBuilds }),
			positive("matters", "5%", "The smallest difference between two runs that matters, such as `2%`. If noise could hide a larger difference, reports call the result unclear.",
				func(s *Settings) *float64 { return &s.MinRelevant }),
		}),
		under(Output, []string{"flask", "tree"}, []key[Settings]{{
			name: "minShare", flag: cli{kind: "PERCENT", percent: true}, defaultValue: "auto", schema: shareSchema("auto"),
			doc: "The smallest share of the run's energy to show (in `diffprof flask`: of the task's), such as `2%`, or `auto` for 1% and, in source code, 0.1%.",
			set: func(r *reader, s *Settings, v value) { r.share(v, &s.MinShare, "auto", Auto) },
		}}),
		under(Output, []string{"compare", "flask", "top", "lines", "profile"}, []key[Settings]{{
			name: "only", flag: cli{kind: "all|own"}, defaultValue: "all",
			doc:    "What to list: `all`, or only the app's `own` code: its own methods, and the tasks that they call, directly or through a library. The totals do not change.",
			schema: object{"type": "string", "enum": []string{"all", "own"}},
			set: func(r *reader, s *Settings, v value) {
				if v.kind != textValue || v.text != "all" && v.text != "own" {
					r.wrong(v, "use all or own")
					return
				}
				s.OwnOnly = v.text == "own"
			},
		}}),
		under(Output, nil, []key[Settings]{{
			name: "ignore", defaultValue: []any{}, set: setIgnore,
			doc: "Tasks, app code and findings about components to leave out. Their energy stays in the totals. An entry has `task`, `id` or both, and ignores the tasks that match all its keys.",
			schema: object{"type": "array", "items": with(objectSchema(ignoreKeys()), "anyOf",
				[]any{object{"required": []string{"task"}}, object{"required": []string{"id"}}})},
		}}),
	)
}

// editorKeys returns the settings that only editors use.
func editorKeys() []key[Settings] {
	return under(Editors, nil, []key[Settings]{
		{
			name: "severity", schema: objectSchema(severityKeys()),
			doc: "The smallest share of the run's energy that makes a diagnostic an error, a warning or an information; below all of them it is a hint. `never` disables a severity: by default a saving is never an error.",
			set: func(r *reader, s *Settings, v value) { readObject(r, v, &s.Severity, severityKeys()) },
		},
		{
			name: "codeLens", schema: objectSchema(lensKeys()),
			doc: "The kinds of code lenses to show.",
			set: func(r *reader, s *Settings, v value) {
				lenses := maps.Clone(s.CodeLens)
				if lenses == nil {
					lenses = map[string]bool{}
				}
				if readObject(r, v, &lenses, lensKeys()) {
					s.CodeLens = lenses
				}
			},
		},
		{
			name: "diagnostics", defaultValue: true, schema: switchSchema,
			doc: "Show findings as diagnostics. Errors in diffprof.yaml are always shown.",
			set: func(r *reader, s *Settings, v value) { r.boolean(v, func(on bool) { s.Diagnostics = on }) },
		},
		{
			name: "lineHeat", defaultValue: false, schema: switchSchema,
			doc: "Color source lines by the energy they use, in editors whose plug-in supports it: the lines of the subject if its recording has them (`docs/lines.md`), and lines that call a task.",
			set: func(r *reader, s *Settings, v value) { r.boolean(v, func(on bool) { s.LineHeat = on }) },
		},
		{
			name: "inlayHints", defaultValue: true, schema: switchSchema,
			doc: "Show the energy of a task after each call that starts it, and the energy of a source line after its text, in editors with inlay hints.",
			set: func(r *reader, s *Settings, v value) { r.boolean(v, func(on bool) { s.InlayHints = on }) },
		},
		{
			name: "sourceCache", defaultValue: true, schema: switchSchema,
			doc: "Store an index of the sources in the user's cache folder, so the next start need not parse them again. It contains names and places, but no code.",
			set: func(r *reader, s *Settings, v value) { r.boolean(v, func(on bool) { s.SourceCache = on }) },
		},
	})
}

// under sets the heading of settings, and the commands that have their flags.
func under(stage string, commands []string, keys []key[Settings]) []key[Settings] {
	for i := range keys {
		keys[i].stage = stage
		if keys[i].flag.kind != "" {
			keys[i].flag.commands = commands
		}
	}
	return keys
}

// severityKeys returns the keys of severity: the severities that have a threshold.
func severityKeys() []key[finding.Severity] {
	level := func(name, normal string, field func(*finding.Severity) *float64) key[finding.Severity] {
		return key[finding.Severity]{
			name: name, doc: "The smallest share for this severity.", defaultValue: normal, schema: shareSchema("never"),
			set: func(r *reader, s *finding.Severity, v value) { r.share(v, field(s), "never", finding.Unreachable) },
		}
	}
	return []key[finding.Severity]{
		level("error", "never", func(s *finding.Severity) *float64 { return &s.Error }),
		level("warning", "2%", func(s *finding.Severity) *float64 { return &s.Warning }),
		level("information", "0.5%", func(s *finding.Severity) *float64 { return &s.Information }),
	}
}

// lensKeys returns the keys of codeLens: the kinds of code lenses.
func lensKeys() []key[map[string]bool] {
	kind := func(name, doc string) key[map[string]bool] {
		return key[map[string]bool]{
			name: name, doc: doc, defaultValue: true, schema: switchSchema,
			set: func(r *reader, m *map[string]bool, v value) { r.boolean(v, func(on bool) { (*m)[name] = on }) },
		}
	}
	return []key[map[string]bool]{
		kind("class", "On each class, the energy of its methods' tasks."),
		kind("method", "On each method that starts tasks, the energy of these tasks."),
		kind("api", "On each call of an API with a cost in the table of `apiCosts`, the API, its calls and their cost."),
		kind("fleet", "On each call of a task that the `fleet` makes suspect, what the fleet shows about the app."),
		kind("since", "On each method and each call of a task that costs more since a commit in the `history`, this commit."),
	}
}

// ignoreKeys returns the keys of an entry of ignore.
func ignoreKeys() []key[Ignore] {
	text := func(name, doc string, schema object, field func(*Ignore) *string) key[Ignore] {
		return key[Ignore]{name: name, doc: doc, schema: schema, set: func(r *reader, g *Ignore, v value) {
			if text, ok := r.text(v); ok {
				*field(g) = text
			}
		}}
	}
	return []key[Ignore]{
		text("task", "The framework method, such as `android.widget.TextView.setText`. With a descriptor it selects one overload, without a descriptor all of them. A `*` matches any characters.",
			textSchema, func(g *Ignore) *string { return &g.Task }),
		text("path", "A method above the task on its call path, or a method of the app that calls it, in the form of `task`.",
			textSchema, func(g *Ignore) *string { return &g.Path }),
		text("id", "The task's id in reports. It is the same in every run in which the task has the same call path.",
			textSchema, func(g *Ignore) *string { return &g.ID }),
		text("reason", "Why the task is ignored, for readers of the file.",
			textSchema, func(g *Ignore) *string { return &g.Reason }),
	}
}
