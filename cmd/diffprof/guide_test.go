package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// An example is a block of code in docs/ci.md.
type example struct{ language, text string }

// examples returns the examples of docs/ci.md, in its order.
func examples(t *testing.T) []example {
	t.Helper()
	guide, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []example
	for _, m := range regexp.MustCompile("(?s)\n```(\\w*)\n(.*?\n)```\n").FindAllStringSubmatch(string(guide), -1) {
		all = append(all, example{m[1], m[2]})
	}
	return all
}

// file returns the file name in the first line of an example, or "" if it has none.
func (e example) file() string {
	first, _, _ := strings.Cut(e.text, "\n")
	name, ok := strings.CutPrefix(first, "# .")
	if e.language != "yaml" || !ok {
		return ""
	}
	return "." + name
}

// TestGuideNamesExistingThings checks that all inputs of the action, commands and flags in the
// guide exist.
func TestGuideNamesExistingThings(t *testing.T) {
	a, _ := readAction(t)
	actions, commands := 0, 0
	for _, e := range examples(t) {
		for _, line := range regexp.MustCompile(`diffprof ([a-z]+)((?: .*|\\\n)*)`).FindAllStringSubmatch(e.text, -1) {
			cmd := find(t, line[1])
			commands++
			for _, flag := range regexp.MustCompile(`(?:^|\s)--([a-z-]+)`).FindAllStringSubmatch(line[2], -1) {
				if cmd.Flags().Lookup(flag[1]) == nil {
					t.Errorf("%s has no flag --%s: %s", line[1], flag[1], line[0])
				}
			}
		}
		for _, use := range regexp.MustCompile(`(?m)^( *)- uses: diffprof/diffprof@main\n((?: .*\n)*)`).FindAllStringSubmatch(e.text, -1) {
			var step struct{ With map[string]string }
			block, _, _ := strings.Cut(use[2], "\n"+use[1]+"- ")
			if err := yaml.Unmarshal([]byte(block), &step); err != nil {
				t.Fatalf("%v\n%s", err, block)
			}
			actions++
			for name := range step.With {
				if _, ok := a.Inputs[name]; !ok {
					t.Errorf("the action has no input %s", name)
				}
			}
			for name, input := range a.Inputs {
				if input.Required && step.With[name] == "" {
					t.Errorf("an example lacks the input %s:\n%s", name, block)
				}
			}
		}
	}
	if actions < 2 || commands < 10 {
		t.Errorf("found %d uses of the action and %d of commands only", actions, commands)
	}
}

// TestBuildFilesAreValid validates the action, the component and the examples against GitHub's and
// GitLab's schemas, if `make deps` has fetched them.
func TestBuildFilesAreValid(t *testing.T) {
	found, err := filepath.Glob("../../.cache/check-jsonschema-*/check_jsonschema/builtin_schemas/vendor")
	if err != nil || len(found) == 0 {
		t.Skip("needs schemas in .cache/, which scripts/schemas gets")
	}
	holds := func(schema, name, text string) error {
		file, err := filepath.Abs(filepath.Join(found[0], schema))
		if err != nil {
			return err
		}
		compiled, err := jsonschema.NewCompiler().Compile(file)
		if err != nil {
			return err
		}
		documents := yaml.NewDecoder(strings.NewReader(text))
		for n := 0; ; n++ {
			var read any
			if err := documents.Decode(&read); err == io.EOF && n > 0 {
				return nil
			} else if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			// The validator needs values as encoding/json reads them.
			text, err := json.Marshal(read)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := compiled.Validate(value); err != nil {
				return fmt.Errorf("%s, document %d: %w", name, n, err)
			}
		}
	}
	_, action := readAction(t)
	for _, f := range []struct{ schema, name, text string }{
		{"github-actions.json", "action.yml", action}, {"gitlab-ci.json", "templates/diffprof.yml", readComponent(t).text},
	} {
		if err := holds(f.schema, f.name, f.text); err != nil {
			t.Error(err)
		}
		if spoilt := strings.NewReplacer("using: composite", "using: magic", "script:", "scripts:").Replace(f.text); holds(f.schema, f.name, spoilt) == nil {
			t.Errorf("%s is valid, too, where it is spoilt", f.name)
		}
	}
	workflows := 0
	for _, e := range examples(t) {
		schema := "gitlab-ci.json"
		if strings.HasPrefix(e.file(), ".github/") {
			schema = "github-workflows.json"
		}
		if e.file() == "" {
			continue
		}
		workflows++
		if err := holds(schema, e.file(), e.text); err != nil {
			t.Error(err)
		}
	}
	if workflows < 3 {
		t.Errorf("%d files only", workflows)
	}
}

// TestActionlintFindsNothing runs actionlint on the workflows of docs/ci.md, if `make deps` has
// fetched it.
func TestActionlintFindsNothing(t *testing.T) {
	found, err := filepath.Glob("../../.cache/actionlint-*/actionlint")
	if err != nil || len(found) == 0 {
		t.Skip("needs actionlint in .cache/, which scripts/actionlint gets")
	}
	folder := t.TempDir()
	var files []string
	for n, e := range examples(t) {
		text, name := e.text, e.file()
		if strings.HasPrefix(text, "- uses: ") {
			name = fmt.Sprintf(".github/workflows/steps-%d.yml", n)
			text = "on: pull_request\njobs:\n  compare:\n    runs-on: ubuntu-24.04\n    steps:\n      " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n      ") + "\n"
		} else if !strings.HasPrefix(name, ".github/") {
			continue
		}
		path := filepath.Join(folder, filepath.Base(name))
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	config := filepath.Join(folder, "actionlint.yaml")
	if err := os.WriteFile(config, []byte("self-hosted-runner:\n  labels: [phone]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	// Exclude programs that only some machines have.
	lint := func(files ...string) (string, error) {
		out, err := exec.Command(found[0], append([]string{"-shellcheck=", "-pyflakes=", "-config-file", config}, files...)...).CombinedOutput()
		return string(out), err
	}
	if output, err := lint(files...); err != nil || len(files) < 3 {
		t.Errorf("%d files: %v\n%s", len(files), err, output)
	}
	spoilt := filepath.Join(folder, "spoilt.yml")
	if err := os.WriteFile(spoilt, []byte("on: pull_request\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: echo ${{ github.nothing }}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if output, err := lint(spoilt); err == nil {
		t.Errorf("finds nothing wrong with a context that there is not: %s", output)
	}
}

// TestReleasesInDocs checks that examples name the branch, or a release that is in the list of
// changes. A text may have v1.2.3 as an example of a tag.
func TestReleasesInDocs(t *testing.T) {
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../../README.md", "../../action.yml", "../../templates/diffprof.yml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, use := range regexp.MustCompile(`(?:uses: |cmd/)?diffprof(?:/diffprof)?@([\w.]+)`).FindAllStringSubmatch(string(text), -1) {
			if ref := use[1]; ref != "main" && !strings.Contains(string(changes), "\n## "+strings.TrimPrefix(ref, "v")+"\n") {
				t.Errorf("%s: %s is neither the branch nor a release", file, use[0])
			}
		}
	}
}
