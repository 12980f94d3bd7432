package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/diffprof/diffprof/comment/commenttest"
)

// An action has the parts of action.yml that these tests need.
type action struct {
	Inputs map[string]struct {
		Description, Default string
		Required             bool
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Steps []struct {
			Name, ID, If, Shell, Run, Uses string
			Env, With                      map[string]string
		}
	}
}

func readAction(t *testing.T) (a action, text string) {
	t.Helper()
	data, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &a); err != nil {
		t.Fatal(err)
	}
	return a, string(data)
}

// A workflow is a GitHub Actions job that uses the action.
type workflow struct {
	*build
	action action
	server *commenttest.Server
	// github is the context github of expressions. It contains event.
	github map[string]any
	// output is what the steps printed. used are the actions that they used, with their inputs.
	output string
	used   map[string]map[string]string
}

// newWorkflow returns a job for a pull request. Its server also has releases.
func newWorkflow(t *testing.T, seen lines) *workflow {
	t.Helper()
	w := &workflow{build: newBuild(t, seen), server: commenttest.New(), used: map[string]map[string]string{}}
	w.action, _ = readAction(t)
	mux := http.NewServeMux()
	mux.Handle("/api/", w.server)
	mux.Handle("/diffprof/diffprof/releases/download/v1.2.3/", http.StripPrefix("/diffprof/diffprof/releases/download/v1.2.3/", release(t, w.build)))
	at := httptest.NewServer(mux)
	t.Cleanup(at.Close)
	w.github = map[string]any{
		"github.server_url": at.URL, "github.action_repository": "diffprof/diffprof", "github.action_ref": "v1.2.3", "github.action_path": "/no/such",
		"github.token": commenttest.Token, "github.repository": "acme/app", "github.actor": "someone", "github.event_name": "pull_request",
		"github.event.pull_request.number": 5, "github.event.pull_request.head.repo.full_name": "acme/app",
	}
	maps.Copy(w.env, map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_API_URL": at.URL + "/api/v3", "GITHUB_REPOSITORY": "acme/app", "GITHUB_SERVER_URL": at.URL, "GITHUB_SHA": "4f2c1a",
		"GITHUB_WORKFLOW": "CI", "GITHUB_JOB": "energy", "GITHUB_EVENT_NAME": "pull_request", "RUNNER_TEMP": t.TempDir(), "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64",
		"GITHUB_EVENT_PATH":   w.put("event.json", `{"pull_request": {"number": 5, "head": {"repo": {"full_name": "acme/app"}}, "base": {"repo": {"full_name": "acme/app"}}}}`),
		"GITHUB_STEP_SUMMARY": w.put("summary.md", ""), "GITHUB_PATH": w.put("path", ""), "GITHUB_ENV": w.put("env", ""),
	})
	return w
}

// release serves the archive of a release for Linux, which contains the program under test.
func release(t *testing.T, b *build) http.Handler {
	t.Helper()
	folder := t.TempDir()
	for _, platform := range []string{"linux-amd64", "linux-arm64", "darwin-arm64"} {
		name := "diffprof-1.2.3-" + platform
		if err := os.Mkdir(filepath.Join(folder, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(b.path[0], "diffprof"), filepath.Join(folder, name, "diffprof")); err != nil {
			t.Fatal(err)
		}
		pack := exec.Command("bash", "-c", `tar -czf "$0.tar.gz" "$0" && sha256sum "$0.tar.gz" >> SHA256SUMS`, name)
		pack.Dir = folder
		if out, err := pack.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return http.FileServer(http.Dir(folder))
}

// do runs the action with inputs. It returns the action's outputs, and the exit code of the step
// that failed, or 0.
func (w *workflow) do(inputs map[string]string) (outputs map[string]string, code int) {
	w.t.Helper()
	steps := map[string]any{}
	look := func(path string) any {
		if name, ok := strings.CutPrefix(path, "inputs."); ok {
			input, known := w.action.Inputs[name]
			if !known {
				w.t.Errorf("there is no input %s", name)
			}
			if given, ok := inputs[name]; ok {
				return given
			}
			if input.Required {
				w.t.Errorf("the input %s is missing", name)
			}
			return filled(w.t, input.Default, func(path string) any { return w.github[path] })
		}
		if strings.HasPrefix(path, "steps.") {
			return steps[path]
		}
		if _, known := w.github[path]; !known {
			w.t.Errorf("nothing is known of %s", path)
		}
		return w.github[path]
	}
	for i, step := range w.action.Runs.Steps {
		if on, err := evaluate(step.If, look); step.If != "" && (err != nil || !truth(on)) {
			if err != nil {
				w.t.Error(err)
			}
			continue
		}
		values := map[string]string{}
		for key, text := range step.Env {
			values[key] = filled(w.t, text, look)
		}
		if step.Uses != "" {
			w.used[step.Uses] = map[string]string{}
			for key, text := range step.With {
				w.used[step.Uses][key] = filled(w.t, text, look)
			}
			continue
		}
		left := w.put(fmt.Sprintf("output-%d", i), "")
		values["GITHUB_OUTPUT"] = left
		output, ended := w.run(step.Shell, step.Name, step.Run, values)
		w.output += output
		for name, value := range stepOutputs(w.t, left) {
			steps["steps."+step.ID+".outputs."+name] = value
		}
		w.path = append(strings.Fields(w.get("path")), w.path...)
		if ended != 0 {
			code = ended
			break
		}
	}
	outputs = map[string]string{}
	for name, o := range w.action.Outputs {
		outputs[name] = filled(w.t, o.Value, look)
	}
	return outputs, code
}

// TestAction runs each line of the action's scripts as GitHub does, on recordings of the tests.
func TestAction(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the steps of a workflow many times")
	}
	seen := lines{}
	pair := map[string]string{
		"subject": pattern("cases/pandora57-pandora83/subject.trace.gz"), "reference": pattern("cases/pandora57-pandora83/reference.trace"),
	}
	with := func(more ...string) map[string]string {
		inputs := maps.Clone(pair)
		for i := 0; i < len(more); i += 2 {
			inputs[more[i]] = more[i+1]
		}
		return inputs
	}

	t.Run("a pull request", func(t *testing.T) {
		w := newWorkflow(t, seen)
		outputs, code := w.do(with("sarif", "true", "output", "my report"))
		if code != 0 || outputs["exit-code"] != "0" {
			t.Fatalf("ended with %d: %s", code, w.output)
		}
		comments := w.server.Comments()
		if len(comments) != 1 || !strings.HasPrefix(comments[0].Body, "<!-- diffprof: CI%20%2F%20energy -->\n### ") || len(w.server.Problems()) > 0 {
			t.Errorf("comments %+v, problems %v", comments, w.server.Problems())
		}
		if !strings.Contains(outputs["verdict"], ": subject 2.07 J, reference 1.44 J, +43.8% (") || !strings.Contains(outputs["verdict"], " could be saved, 30.4% of subject.") || strings.Contains(outputs["verdict"], "%25") {
			t.Errorf("verdict %q", outputs["verdict"])
		}
		if outputs["comment"] != "created: https://github.test/acme/app/pull/5#issuecomment-101" {
			t.Errorf("comment %q", outputs["comment"])
		}
		if summary := w.get("summary.md"); summary != w.get(outputs["markdown"]) || len(summary) < 1000 {
			t.Errorf("the step's summary has %d bytes", len(summary))
		}
		if !json.Valid([]byte(w.get(outputs["json"]))) || !strings.Contains(w.output, "::warning title=") {
			t.Errorf("no JSON or no annotations:\n%s", w.output)
		}
		upload := w.used["github/codeql-action/upload-sarif@v4"]
		if upload["sarif_file"] != "my report/energy.sarif" || !json.Valid([]byte(w.get(upload["sarif_file"]))) {
			t.Errorf("uploads %v", w.used)
		}
		// The next push updates the comment.
		if outputs, _ := w.do(with("reference", pair["subject"])); outputs["comment"] != "updated: https://github.test/acme/app/pull/5#issuecomment-101" || len(w.server.Comments()) != 1 {
			t.Errorf("comment %q", outputs["comment"])
		}
	})

	t.Run("a condition holds", func(t *testing.T) {
		w := newWorkflow(t, seen)
		outputs, code := w.do(with("fail-on", "saving>90%\nrow>1%\r\n", "name", "phone", "arguments", "--top=3\n--kind=more"))
		if code != 1 || outputs["exit-code"] != "1" || !strings.Contains(w.output, "::error title=diffprof::row>1%25: one task or method could save ") {
			t.Errorf("ended with %d: %s", code, w.output)
		}
		if comments := w.server.Comments(); len(comments) != 1 || !strings.HasPrefix(comments[0].Body, "<!-- diffprof: phone -->") || outputs["comment"] == "" {
			t.Errorf("comments %+v", comments)
		}
	})

	t.Run("a condition that cannot be judged", func(t *testing.T) {
		w := newWorkflow(t, seen)
		outputs, code := w.do(with("fail-on", "total>+99% and evidence"))
		if code != 2 || outputs["exit-code"] != "2" || len(w.server.Comments()) != 1 || w.get("summary.md") == "" ||
			!strings.Contains(w.output, "::error title=diffprof::fail-on could not be judged: evidence: a side has only one run") {
			t.Errorf("ended with %d: %s", code, w.output)
		}
	})

	t.Run("a comment that cannot be posted", func(t *testing.T) {
		for _, test := range []struct {
			must, failOn string
			code         int
			message      string
		}{
			{"false", "", 0, "::warning title=diffprof::The comment could not be posted: "},
			{"false", "row>1%", 1, "::error title=diffprof::row>1%25: "},
			{"true", "", 3, "::error title=diffprof::The comment could not be posted: "},
			{"true", "row>1%", 1, "::error title=diffprof::row>1%25: "},
		} {
			w := newWorkflow(t, seen)
			w.github["github.token"] = "another-token"
			outputs, code := w.do(with("fail-on", test.failOn, "fail-without-comment", test.must))
			if code != test.code || !strings.Contains(w.output, test.message) || !strings.Contains(w.output, "::warning title=diffprof::The comment could not be posted: ") || outputs["comment"] != "" {
				t.Errorf("%+v: ended with %d: %s", test, code, w.output)
			}
		}
	})

	t.Run("what cannot be compared", func(t *testing.T) {
		w := newWorkflow(t, seen)
		outputs, code := w.do(with("subject", "no/such/*.trace"))
		if code != 2 || outputs["exit-code"] != "" || !strings.Contains(w.output, "no/such/*.trace: no file matches the pattern") || len(w.server.Comments()) != 0 || w.get("summary.md") != "" {
			t.Errorf("ended with %d: %s", code, w.output)
		}
	})

	t.Run("nothing is run of what stands in inputs", func(t *testing.T) {
		w := newWorkflow(t, seen)
		w.do(with("fail-on", "$(touch hacked)`touch hacked`\"; touch hacked; '", "name", "$(touch hacked)", "arguments", "*\n$(touch hacked)"))
		if _, err := os.Stat(filepath.Join(w.workspace, "hacked")); err == nil {
			t.Error("an input was run")
		}
	})

	t.Run("forks, and no pull request", func(t *testing.T) {
		for change, comments := range map[[2]string]int{
			{"github.event.pull_request.head.repo.full_name", "someone/app"}: 0,
			{"github.actor", "dependabot[bot]"}:                              0,
			{"github.event.pull_request.number", ""}:                         0,
			{"github.event_name", "pull_request_target"}:                     1,
		} {
			w := newWorkflow(t, seen)
			w.github[change[0]] = change[1]
			if outputs, code := w.do(pair); code != 0 || len(w.server.Comments()) != comments || outputs["comment"] == "" != (comments == 0) {
				t.Errorf("%v: ended with %d, and %d comments: %s", change, code, len(w.server.Comments()), w.output)
			}
		}
		w := newWorkflow(t, seen)
		if _, code := w.do(with("comment", "false")); code != 0 || len(w.server.Requests()) > 0 {
			t.Errorf("ended with %d, and sent %v", code, w.server.Requests())
		}
	})

	t.Run("where the program comes from", func(t *testing.T) {
		w := newWorkflow(t, seen)
		w.env["RUNNER_ARCH"] = "ARM64"
		w.do(pair)
		w.env["RUNNER_OS"] = "macOS"
		if _, code := w.do(pair); code != 0 {
			t.Errorf("a release for macOS: %s", w.output)
		}

		w = newWorkflow(t, seen)
		program := filepath.Join(w.path[0], "diffprof")
		w.path = nil
		if _, code := w.do(with("program", program)); code != 0 {
			t.Errorf("a program that is given: %s", w.output)
		}

		// The program is built if there is no release: for a commit, for a branch, and on a private
		// server.
		for ref, system := range map[string]string{"main": "Linux", "v1.2.4": "Linux", "v1.2.3": "Windows"} {
			w = newWorkflow(t, seen)
			w.env["RUNNER_OS"] = system
			w.github["github.action_ref"], w.github["github.action_path"] = ref, w.workspace
			w.put("bin/go", "#!/bin/bash\necho \"$PWD $*\" >> \"$HOME/built\"\nwhile [ \"$1\" != -o ]; do shift; done\ncp \""+program+"\" \"$2\"\n")
			w.path = []string{filepath.Join(w.workspace, "bin")}
			if _, code := w.do(pair); code != 0 {
				t.Errorf("a build of %s: %s", ref, w.output)
			}
			if built, err := os.ReadFile(filepath.Join(w.env["HOME"], "built")); err != nil || !strings.Contains(string(built), "build -trimpath -ldflags -s -w -X main.version="+ref+" -o ") {
				t.Errorf("%s is built by %s, %v", ref, built, err)
			}
		}
	})

	t.Run("an archive that was changed", func(t *testing.T) {
		w := newWorkflow(t, seen)
		w.put("bin/curl", "#!/bin/bash\nwhile [ \"$1\" != --output ]; do shift; done\necho \"$(printf %064d 0)  diffprof-1.2.3-linux-amd64.tar.gz\" > \"$2\"\n")
		w.path = append([]string{filepath.Join(w.workspace, "bin")}, w.path...)
		if _, code := w.do(pair); code == 0 || !strings.Contains(w.output, "diffprof-1.2.3-linux-amd64.tar.gz: FAILED") {
			t.Errorf("ended with %d: %s", code, w.output)
		}
	})

	a, _ := readAction(t)
	for _, step := range a.Runs.Steps {
		if step.Run != "" {
			seen.all(t, step.Name, step.Run)
		}
	}
}

// TestActionIsWhole checks that each input is used and documented, that each expression can be
// evaluated, and that no script contains an expression.
func TestActionIsWhole(t *testing.T) {
	a, text := readAction(t)
	guide, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, input := range a.Inputs {
		if input.Description == "" || !strings.Contains(text, "inputs."+name+" ") {
			t.Errorf("the input %s has no description, or is not used", name)
		}
		if !strings.Contains(string(guide), "\n- `"+name+"`: ") {
			t.Errorf("docs/ci.md does not tell of the input %s", name)
		}
	}
	for name, output := range a.Outputs {
		if output.Description == "" || !strings.Contains(string(guide), "`"+name+"`") {
			t.Errorf("the output %s has no description, or docs/ci.md does not tell of it", name)
		}
	}
	names := []string{}
	for _, step := range a.Runs.Steps {
		names = append(names, step.Name)
		if strings.Contains(step.Run, "${{") {
			t.Errorf("the script of %s has an expression in it", step.Name)
		}
	}
	if !slices.Equal(names, []string{"Install diffprof", "Compare", "Comment", "Upload SARIF", "Judge"}) {
		t.Errorf("steps %q", names)
	}
}
