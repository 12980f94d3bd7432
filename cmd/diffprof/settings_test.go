package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// TestFlagsHaveTextsOfSettings compares the flags of diffprof compare with the settings that they
// set: a flag and the same value in a project file must give the same settings.
func TestFlagsHaveTextsOfSettings(t *testing.T) {
	tries := map[string]struct {
		args []string
		yaml string
	}{
		"alpha":             {[]string{"3"}, "alpha: 3"},
		"app-package":       {[]string{"com.mine.*", "com.too"}, "appPackages: [com.mine.*, com.too]"},
		"framework-package": {[]string{"okhttp3.*"}, "frameworkPackages: [okhttp3.*]"},
		"own-package":       {[]string{"com.mine.*"}, "ownPackages: [com.mine.*]"},
		"manifest":          {[]string{"app.apk"}, "manifests: [app.apk]"},
		"source":            {[]string{"app/src", "lib/src"}, "sources: [app/src, lib/src]"},
		"merge":             {[]string{"app, entry"}, "merge: [app, entry]"},
		"match":             {[]string{"lemma"}, "match: lemma"},
		"mapping-subject":   {[]string{"1.txt"}, "mappingSubject: 1.txt"},
		"mapping-reference": {[]string{"2.txt"}, "mappingReference: 2.txt"},
		"flows-subject":     {[]string{"1.flows"}, "flowsSubject: 1.flows"},
		"flows-reference":   {[]string{"2.flows"}, "flowsReference: 2.flows"},
		"with-subject":      {[]string{"a.csv", "b.jsonl"}, "withSubject: [a.csv, b.jsonl]"},
		"with-reference":    {[]string{"c.csv"}, "withReference: [c.csv]"},
		"align":             {[]string{"-1.5s"}, "align: -1.5s"},
		"cpu-frequency":     {[]string{"1500MHz"}, "cpuFrequency: 1500MHz"},
		"symfs":             {[]string{"symbols"}, "symfs: symbols"},
		"pair":              {[]string{"free"}, "pair: free"},
		"folded-unit":       {[]string{"ms"}, "foldedUnit: ms"},
		"sample-type":       {[]string{"cpu"}, "sampleType: cpu"},
		"process":           {[]string{"com.mine"}, "process: com.mine"},
		"process-subject":   {[]string{"com.mine"}, "processSubject: com.mine"},
		"process-reference": {[]string{"12"}, "processReference: '12'"},
		"partial":           {[]string{"true"}, "partial: true"},
		"max-expanded":      {[]string{"1.5GiB"}, "maxExpanded: 1.5GiB"},
		"max-memory":        {[]string{"536870912"}, "maxMemory: 512 MiB"},
		"normalize":         {[]string{"20:10"}, "normalize: '20:10'"},
		"threads":           {[]string{"4"}, "threads: 4"},
		"classpath":         {[]string{"a.jar", "b,c"}, "classpath: [a.jar, 'b,c']"},
		"power-profile":     {[]string{"12"}, "powerProfile: '12'"},
		"power-model":       {[]string{"lte"}, "powerModel: lte"},
		"api-costs":         {[]string{"costs.csv"}, "apiCosts: costs.csv"},
		"api-guess":         {[]string{"true"}, "apiGuess: true"},
		"compat":            {[]string{"orka2016"}, "compat: orka2016"},
		"policy":            {[]string{"split-time"}, "policy: split-time"},
		"triggers":          {[]string{"mine.yaml"}, "triggers: mine.yaml"},
		"history":           {[]string{"h.db"}, "history: h.db"},
		"fleet":             {[]string{"fleet.dp"}, "fleet: fleet.dp"},
		"fleet-app":         {[]string{"com.mine"}, "fleetApp: com.mine"},
		"battery":           {[]string{"3000mAh"}, "battery: 3000mAh"},
		"voltage":           {[]string{"3.85"}, "voltage: 3.85"},
		"unit":              {[]string{"uAh"}, "unit: uAh"},
		"only":              {[]string{"own"}, "only: own"},
		"top":               {[]string{"5"}, "top: 5"},
		"group":             {[]string{"caller"}, "group: caller"},
		"nest":              {[]string{"true"}, "nest: true"},
		"min-share":         {[]string{"0.5"}, "minShare: 0.5%"},
		"noise":             {[]string{"4"}, "noise: 4%"},
		"matters":           {[]string{"2"}, "matters: 2%"},
		"builds":            {[]string{"2"}, "builds: 2%"},
		"equal-build":       {[]string{"aa"}, "equalBuilds: [aa]"},
	}
	for _, command := range []string{"compare", "flask"} {
		cmd := find(t, command)
		for _, flag := range settings.Flags(command) {
			try, ok := tries[flag.Name]
			if !ok {
				t.Errorf("--%s: no value to try", flag.Name)
				continue
			}
			want, problems := settings.Default().WithYAML([]byte(try.yaml), "")
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if reflect.DeepEqual(want, settings.Default()) {
				t.Errorf("%s changes nothing", try.yaml)
			}
			f := cmd.Flags().Lookup(flag.Name)
			value, ok := f.Value.(*settingFlag)
			if !ok || f.Usage != flag.Usage || value.Type() != flag.Kind {
				t.Errorf("--%s of %s is not that of its setting: %+v", flag.Name, command, f)
				continue
			}
			for _, arg := range try.args {
				if err := value.Set(arg); err != nil {
					t.Errorf("--%s %q: %v", flag.Name, arg, err)
				}
			}
			got := given{flags: []*settingFlag{value}}
			if err := got.load(settings.Default()); err != nil || !reflect.DeepEqual(got.Settings, want) {
				t.Errorf("--%s %q gives %+v (%v), and %s gives %+v", flag.Name, try.args, got.Settings, err, try.yaml, want)
			}
		}
	}
}

// find returns a command of diffprof.
func find(t *testing.T, name string) *cobra.Command {
	t.Helper()
	cmd, _, err := newRoot(&outputs{stdout: os.Stdout}).Find([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestFlagsAreSettings checks that each flag of the commands that read recordings is a setting, or
// one of the flags that make sense only for a single call.
func TestFlagsAreSettings(t *testing.T) {
	ofOneCall := map[string]string{
		"config": "it names the file that has the settings", "no-config": "it leaves that file out",
		"format": "what to write", "to": "what to write", "output": "where to write", "also": "where to write", "dump-matching": "where to write",
		"color": "it depends on where the text goes",
		"task":  "which task to look at", "stage": "which tree to look at",
		"rows": "how far to look", "depth": "how far to look",
		"package": "what to look at", "thread": "what to look at", "kind": "what to look at",
		"subject": "an argument is the same", "reference": "an argument is the same",
		"baseline": "what the exit code says",
		"fail-on":  "what the exit code says",
		"bundles":  "what the output shows",
		"help":     "not about traces", helpAllFlag: "not about traces",
	}
	for _, command := range []string{"compare", "flask", "tree", "convert", "packages"} {
		find(t, command).LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, ok := f.Value.(*settingFlag); !ok && ofOneCall[f.Name] == "" && !f.Hidden {
				t.Errorf("--%s of %s is neither a setting nor of one call", f.Name, command)
			}
		})
	}
}

// TestTopsAreTrue compares the documented defaults of --top with the defaults of the renderings.
func TestTopsAreTrue(t *testing.T) {
	usage := find(t, "compare").Flags().Lookup("top").Usage
	tops := map[string]string{}
	for _, name := range render.Names(report.Comparison) {
		r, _ := render.Find(report.Comparison, name)
		if tops[name] = fmt.Sprint(r.Top); r.Top == 0 {
			tops[name] = "all"
		}
	}
	if want := fmt.Sprintf("%s in text, %s in markdown, %s in html and %s in json", tops["text"], tops["markdown"], tops["html"], tops["json"]); !strings.Contains(usage, want) {
		t.Errorf("--top: %q, want %q in it", usage, want)
	}
}

// TestFlagsComplete checks that shells complete the value of each flag.
func TestFlagsComplete(t *testing.T) {
	for _, cmd := range newRoot(&outputs{stdout: os.Stdout}).Commands() {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if _, ok := cmd.GetFlagCompletionFunc(f.Name); !ok && f.NoOptDefVal == "" {
				t.Errorf("--%s of %s is not completed", f.Name, cmd.Name())
			}
		})
	}
}
