package pipeline_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"

	"github.com/diffprof/diffprof/pipeline"
)

var update = flag.Bool("update", false, "rewrite the files want/ in testdata")

// TestPlans plans pipelines for small repositories. A file of testdata has a repository, and the
// results in want/.
func TestPlans(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("%v, %d cases", err, len(cases))
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			root, want := fstest.MapFS{}, map[string]string{}
			kept := archive.Files[:0:0]
			for _, f := range archive.Files {
				if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
					want[name] = string(f.Data)
					continue
				}
				root[f.Name] = &fstest.MapFile{Data: f.Data}
				kept = append(kept, f)
			}
			r, err := pipeline.Inspect(root)
			if err != nil {
				t.Fatal(err)
			}
			check := func(name, got string) {
				if *update {
					kept = append(kept, txtar.File{Name: "want/" + name, Data: []byte(got)})
				} else if got != want[name] {
					t.Errorf("%s:\n%s\nwant\n%s", name, got, want[name])
				}
			}
			for _, service := range []pipeline.Service{pipeline.GitHub, pipeline.GitLab} {
				version := "1.2.3"
				if service == pipeline.GitHub {
					version = "(devel)"
				}
				p, err := pipeline.NewPlan(r, service, version)
				if err != nil {
					check("error", err.Error()+"\n")
					break
				}
				made, err := p.Write()
				if err != nil {
					t.Fatal(err)
				}
				check(string(service)+".yml", string(made))
				valid(t, service, made)
				if service == pipeline.GitHub {
					check("unknown", strings.Join(append(p.Unknown, ""), "\n"))
				}
			}
			if *update {
				archive.Files = kept
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// valid requires a file to be YAML, its scripts to be shell, and a workflow to satisfy actionlint if
// that is installed.
func valid(t *testing.T, service pipeline.Service, file []byte) {
	t.Helper()
	var document map[string]any
	if err := yaml.Unmarshal(file, &document); err != nil {
		t.Errorf("%s: %v\n%s", service, err, file)
	}
	for _, script := range scripts(document) {
		shell := exec.CommandContext(t.Context(), "sh", "-n")
		shell.Stdin = strings.NewReader(script)
		if out, err := shell.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s\n%s", service, err, out, script)
		}
	}
	found, _ := filepath.Glob("../.cache/actionlint-*/actionlint")
	if service != pipeline.GitHub || len(found) == 0 {
		return
	}
	lint := exec.CommandContext(t.Context(), found[0], "-")
	lint.Stdin = strings.NewReader(string(file))
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v: %s", err, out)
	}
}

// scripts returns the scripts of a document, which are its texts of several lines. It also returns
// the scripts that these scripts write.
func scripts(value any) (found []string) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if key != "path" {
				found = append(found, scripts(inner)...)
			}
		}
	case []any:
		for _, inner := range v {
			found = append(found, scripts(inner)...)
		}
	case string:
		if strings.Contains(v, "\n") {
			found = append(found, v)
			if _, inner, ok := strings.Cut(v, "<<'END'\n"); ok {
				inner, _, _ = strings.Cut(inner, "\nEND")
				found = append(found, inner)
			}
		}
	}
	return found
}

// TestHostileNames checks that no name from a repository is inserted into a script.
func TestHostileNames(t *testing.T) {
	app := "plugins { id(\"com.android.application\") }\nandroid { defaultConfig { applicationId = \"com.mine\" } }\n"
	root := fstest.MapFS{
		"gradlew": {}, "settings.gradle": {Data: []byte("include ':app'")}, "app/build.gradle": {Data: []byte(app)},
		"app/src/androidTest/java/A.kt":         {Data: []byte("class A")},
		"a$(touch hacked)/build.gradle":         {Data: []byte(app)},
		"a$(touch hacked)/src/androidTest/A.kt": {Data: []byte("class A")},
		"b\"; touch hacked; \"/build.gradle":    {Data: []byte(app + "targetProjectPath = \":app\\\"; touch hacked\"")},
	}
	r, err := pipeline.Inspect(root)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.NewPlan(r, pipeline.GitHub, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	if made, err := p.Write(); err != nil || strings.Contains(string(made), "hacked") {
		t.Errorf("%v:\n%s", err, made)
	}
}

// TestRootWithModulesIsNoModule checks that the build file of the root counts as a module only if it
// is the only build file. Otherwise it has settings and plugins of the modules.
func TestRootWithModulesIsNoModule(t *testing.T) {
	root := &fstest.MapFile{Data: []byte(`plugins { id("com.android.application") version "8.1.0" apply false }`)}
	app := &fstest.MapFile{Data: []byte(`plugins { id("com.android.application") }`)}
	for want, files := range map[string]fstest.MapFS{
		":":     {"build.gradle.kts": app},
		":app":  {"build.gradle.kts": root, "app/build.gradle.kts": app},
		":a :b": {"build.gradle": root, "a/build.gradle": app, "b/build.gradle": app},
	} {
		r, err := pipeline.Inspect(files)
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, m := range r.Modules {
			paths = append(paths, m.Path)
		}
		if got := strings.Join(paths, " "); got != want {
			t.Errorf("modules %q, want %q", got, want)
		}
	}
}
