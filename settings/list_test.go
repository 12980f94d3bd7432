package settings

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// tries has for each setting a line of a project file that changes it, and the changed field.
var tries = map[string]struct{ line, field string }{
	"subject":           {"subject: a.trace", "Subject.Path"},
	"reference":         {"reference: b.trace", "Reference.Path"},
	"mappingSubject":    {"mappingSubject: a.txt", "Subject.Mapping"},
	"mappingReference":  {"mappingReference: b.txt", "Reference.Mapping"},
	"flowsSubject":      {"flowsSubject: a.flows", "Subject.Flows"},
	"flowsReference":    {"flowsReference: b.flows", "Reference.Flows"},
	"foldedUnit":        {"foldedUnit: ms", "Ingest.Unit"},
	"sampleType":        {"sampleType: cpu", "Ingest.SampleType"},
	"process":           {"process: com.mine", "Ingest.Process"},
	"processSubject":    {"processSubject: com.mine", "Subject.Process"},
	"processReference":  {"processReference: com.mine", "Reference.Process"},
	"withSubject":       {"withSubject: [a.csv]", "Subject.With"},
	"withReference":     {"withReference: [b.csv]", "Reference.With"},
	"align":             {"align: auto", "Align"},
	"cpuFrequency":      {"cpuFrequency: 2.4GHz", "Ingest.Frequency"},
	"symfs":             {"symfs: symbols", "Ingest.Symfs"},
	"partial":           {"partial: true", "Ingest.Partial"},
	"maxExpanded":       {"maxExpanded: 1GiB", "Ingest.MaxExpanded"},
	"maxMemory":         {"maxMemory: 512MiB", "MaxMemory"},
	"appPackages":       {"appPackages: [com.mine]", "AppPackages"},
	"frameworkPackages": {"frameworkPackages: [okhttp3.*]", "FrameworkPackages"},
	"ownPackages":       {"ownPackages: [com.mine.*]", "OwnPackages"},
	"manifests":         {"manifests: [app.apk]", "Manifests"},
	"sources":           {"sources: [app/src]", "Sources"},
	"merge":             {"merge: [app]", "Merge"},
	"classpath":         {"classpath: [a.jar]", "Classpath"},
	"powerProfile":      {"powerProfile: profile.xml", "PowerProfile"},
	"powerModel":        {"powerModel: passion", "PowerModel"},
	"policy":            {"policy: first-trigger", "Policy"},
	"apiCosts":          {"apiCosts: costs.csv", "APICosts"},
	"apiGuess":          {"apiGuess: true", "APIGuess"},
	"compat":            {"compat: orka2016", "APICompat"},
	"activity":          {"activity: [browsing=9.5]", "Activities"},
	"triggers":          {"triggers: mine.yaml", "Triggers"},
	"fleet":             {"fleet: fleet.dp", "Fleet"},
	"fleetApp":          {"fleetApp: com.mine", "FleetApp"},
	"voltage":           {"voltage: 3.85", "Voltage"},
	"alpha":             {"alpha: 3", "Alpha"},
	"match":             {"match: lemma", "Matching.Lemma"},
	"normalize":         {"normalize: time", "Normalize"},
	"threads":           {"threads: 2", "Matching.Threads"},
	"battery":           {"battery: 3000 mAh", "Battery"},
	"unit":              {"unit: uAh", "Unit"},
	"top":               {"top: 7", "Top"},
	"group":             {"group: caller", "Group"},
	"nest":              {"nest: true", "Nest"},
	"history":           {"history: h.db", "History"},
	"minShare":          {"minShare: 5%", "MinShare"},
	"noise":             {"noise: 5%", "Noise"},
	"matters":           {"matters: 2%", "MinRelevant"},
	"builds":            {"builds: 1%", "Builds"},
	"equalBuilds":       {"equalBuilds: [aa]", "EqualBuilds"},
	"only":              {"only: own", "OwnOnly"},
	"ignore":            {"ignore: [{task: a.B.c}]", "Ignore"},
	"severity":          {"severity: {error: 50%}", "Severity"},
	"codeLens":          {"codeLens: {class: false}", "CodeLens"},
	"inlayHints":        {"inlayHints: false", "InlayHints"},
	"diagnostics":       {"diagnostics: false", "Diagnostics"},
	"lineHeat":          {"lineHeat: true", "LineHeat"},
	"sourceCache":       {"sourceCache: false", "SourceCache"},
	"pairs":             {"pairs: {free: {subject: a, reference: b}}", "Pairs"},
	"pair":              {"pair: free", "Pair"},
}

// unset are the fields without a setting, with the reason.
var unset = map[string]string{
	"Ingest.Flows":      "Subject.Flows and Reference.Flows say it for each side",
	"Ingest.Voltage":    "Voltage says it for all stages",
	"Ingest.Progress":   "a function of the caller's",
	"Matching.MaxPairs": "it follows from MaxMemory and the size of the trees",
	"Ingest.Triggers":   "the table that the setting triggers names, read once",
	"Matching.Progress": "a function of the caller's",
	"Progress":          "a function of the caller's",
	"SettingsFile":      "it is the file's own name",
	"Classes":           "Sources has the folders; the language server has read its own",
	"Subject.Repeats":   "subject has a pattern or a folder of several runs",
	"Reference.Repeats": "reference has a pattern or a folder of several runs",
	"Store":             "history has the path of the file",
	"HistoryBuilds":     "a function of the caller's",
	"Bundles":           "it follows from what is to be shown",
	"Coverage":          "it follows from what is to be shown",
	"Lines":             "it follows from what is to be shown",
	"LinesIfKnown":      "diffprof convert decides, by the format that it writes",
	"MeterLines":        "it follows from what is to be shown",
	"SliceTasks":        "it follows from what is to be shown",
	"Unprocessed":       "it follows from what is to be shown",
}

// TestEveryOptionIsASetting compares the options of all stages with the list of settings: each
// field is changed by one setting, and each setting changes one field.
func TestEveryOptionIsASetting(t *testing.T) {
	before := fields(Default())
	left := maps.Clone(before)
	for _, k := range keys() {
		try, ok := tries[k.name]
		if !ok {
			t.Errorf("%s: no line to try", k.name)
			continue
		}
		s, problems := Default().WithYAML([]byte(try.line), "")
		if len(problems) > 0 {
			t.Errorf("%s: %v", try.line, problems)
		}
		var changed []string
		for name, v := range fields(s) {
			if !reflect.DeepEqual(v, before[name]) {
				changed = append(changed, name)
			}
		}
		if !slices.Equal(changed, []string{try.field}) {
			t.Errorf("%s changes %q, want %s", try.line, changed, try.field)
		}
		if _, ok := left[try.field]; !ok {
			t.Errorf("%s is not the only setting for %s", k.name, try.field)
		}
		delete(left, try.field)
	}
	if got, want := slices.Sorted(maps.Keys(left)), slices.Sorted(maps.Keys(unset)); !slices.Equal(got, want) {
		t.Errorf("no setting stands for %q; reasons are given for %q", got, want)
	}
}

// fields returns the values of all fields by name. The options of a stage are below the name of
// the stage.
func fields(s Settings) map[string]any {
	all := map[string]any{}
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			switch f := v.Type().Field(i); {
			case f.Anonymous:
				walk(prefix, v.Field(i))
			case f.Type.Kind() == reflect.Struct && slices.Contains([]string{"Options", "Side"}, f.Type.Name()):
				walk(prefix+f.Name+".", v.Field(i))
			default:
				all[prefix+f.Name] = v.Field(i).Interface()
			}
		}
	}
	walk("", reflect.ValueOf(s))
	return all
}

// TestFilesAreListed checks that each setting that names a file is among the files that a
// comparison reads.
func TestFilesAreListed(t *testing.T) {
	for _, k := range keys() {
		if k.flag.kind != KindFile && k.name != "subject" && k.name != "reference" {
			continue
		}
		line := tries[k.name].line
		s, _ := Default().WithYAML([]byte(line), "")
		files := s.Files()
		if _, path, _ := strings.Cut(line, ": "); len(files) != 1 || files[0] != strings.Trim(path, "[]") {
			t.Errorf("%s: files %q", line, files)
		}
	}
}

// TestFlagsFollowNames lists the flags of the settings.
func TestFlagsFollowNames(t *testing.T) {
	for command, want := range map[string]string{
		"compare":  "mapping-subject mapping-reference flows-subject flows-reference with-subject with-reference align process-subject process-reference pair folded-unit sample-type cpu-frequency symfs process partial max-expanded max-memory app-package framework-package own-package manifest source merge classpath power-profile power-model policy api-costs api-guess compat triggers voltage history alpha match threads normalize unit battery top fleet fleet-app group nest noise builds equal-build matters only",
		"flask":    "mapping-subject mapping-reference flows-subject flows-reference with-subject with-reference align process-subject process-reference pair folded-unit sample-type cpu-frequency symfs process partial max-expanded max-memory app-package framework-package own-package manifest source merge classpath power-profile power-model policy api-costs api-guess compat triggers voltage history alpha match threads normalize unit fleet fleet-app min-share only",
		"top":      "mapping-subject mapping-reference flows-subject flows-reference with-subject with-reference align process-subject process-reference pair folded-unit sample-type cpu-frequency symfs process partial max-expanded max-memory app-package framework-package own-package manifest source merge classpath power-profile power-model policy api-costs api-guess compat triggers voltage history normalize unit top only",
		"tree":     "mapping flows with align folded-unit sample-type cpu-frequency symfs process partial max-expanded max-memory app-package framework-package own-package manifest source merge classpath power-profile power-model policy api-costs api-guess compat triggers voltage history unit min-share",
		"convert":  "mapping flows with align folded-unit sample-type cpu-frequency symfs process partial max-expanded max-memory app-package framework-package own-package manifest source merge classpath power-profile power-model policy api-costs api-guess compat triggers voltage history",
		"profile":  "mapping flows with align folded-unit sample-type cpu-frequency symfs process partial max-expanded max-memory app-package framework-package own-package manifest source merge classpath power-profile power-model policy api-costs api-guess compat triggers voltage history unit battery activity top only",
		"packages": "mapping flows with align folded-unit sample-type cpu-frequency symfs process partial max-expanded max-memory app-package framework-package own-package manifest source merge classpath power-profile power-model policy api-costs api-guess compat triggers voltage history unit top",
		"info":     "mapping flows with align folded-unit sample-type cpu-frequency symfs process partial max-expanded max-memory app-package framework-package own-package manifest source merge classpath power-profile power-model policy triggers voltage history unit",
		"lsp":      "",
	} {
		var names []string
		for _, f := range Flags(command) {
			names = append(names, f.Name)
			if f.Usage == "" || strings.ContainsAny(f.Usage, "`\n") || f.Kind == "" {
				t.Errorf("--%s: %q", f.Name, f.Usage)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: flags\n%s\nwant\n%s", command, got, want)
		}
	}
}

// TestSidesAreAlike checks that every setting for the subject also exists for the reference.
func TestSidesAreAlike(t *testing.T) {
	for _, k := range keys() {
		name, ok := strings.CutSuffix(k.name, "Subject")
		if !ok {
			continue
		}
		i := slices.IndexFunc(keys(), func(other key[Settings]) bool { return other.name == name+"Reference" })
		if i < 0 {
			t.Errorf("there is no %sReference", name)
			continue
		}
		if want := strings.Replace(k.doc, "of the subject", "of the reference", 1); keys()[i].doc != want {
			t.Errorf("%sReference: %q, want %q", name, keys()[i].doc, want)
		}
		if fmt.Sprint(keys()[i].flag.commands) != fmt.Sprint(k.flag.commands) {
			t.Errorf("%s: the sides have flags on different commands", name)
		}
	}
}
