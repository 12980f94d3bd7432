package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/diffprof/diffprof/comment/commenttest"
)

// A component has the parts of templates/diffprof.yml that these tests need, from its two
// documents.
type component struct {
	Spec struct {
		Inputs map[string]struct {
			Description, Regex string
			Default            yaml.Node
		}
	}
	jobs map[string]yaml.Node
	text string
}

func readComponent(t *testing.T) component {
	t.Helper()
	data, err := os.ReadFile("../../templates/diffprof.yml")
	if err != nil {
		t.Fatal(err)
	}
	c := component{text: string(data)}
	documents := yaml.NewDecoder(strings.NewReader(c.text))
	if err := errors.Join(documents.Decode(&c), documents.Decode(&c.jobs)); err != nil {
		t.Fatal(err)
	}
	if err := documents.Decode(&c.jobs); err != io.EOF {
		t.Errorf("a third document: %v", err)
	}
	return c
}

var interpolated = regexp.MustCompile(`\$\[\[ inputs\.([a-z-]+) \]\]`)

// A pipelineJob is the job of the component, with the values of inputs in place of their names.
type pipelineJob struct {
	Variables map[string]struct {
		Value  string
		Expand *bool
	}
	Script    []string
	Artifacts struct {
		Paths   []string
		Reports map[string]string
	}
}

// include returns the job that a pipeline gets by including the component with inputs.
func (c component) include(t *testing.T, inputs map[string]string) (name string, job pipelineJob) {
	t.Helper()
	fill := func(text string) string {
		return interpolated.ReplaceAllStringFunc(text, func(s string) string {
			key := interpolated.FindStringSubmatch(s)[1]
			input, known := c.Spec.Inputs[key]
			value, given := inputs[key]
			switch {
			case !known:
				t.Errorf("there is no input %s", key)
			case !given && input.Default.IsZero():
				t.Errorf("the input %s is missing", key)
			case given && input.Regex != "" && !regexp.MustCompile(input.Regex).MatchString(value):
				t.Errorf("%s is no %s", value, key)
			case !given:
				return input.Default.Value
			}
			return value
		})
	}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			n.Value = fill(n.Value)
		}
		for _, inner := range n.Content {
			walk(inner)
		}
	}
	if len(c.jobs) != 1 {
		t.Fatalf("%d jobs", len(c.jobs))
	}
	for key, node := range c.jobs {
		walk(&node)
		if err := node.Decode(&job); err != nil {
			t.Fatal(err)
		}
		name = fill(key)
	}
	return name, job
}

// TestComponent runs each line of the component's script on recordings of the tests.
func TestComponent(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the script of a pipeline many times")
	}
	seen := lines{}
	script := ""
	do := func(t *testing.T, shell string, inputs, env map[string]string) (b *build, s *commenttest.Server, job pipelineJob, output string, code int) {
		t.Helper()
		b, s = newBuild(t, seen), commenttest.New()
		mux := http.NewServeMux()
		mux.Handle("/api/", s)
		mux.Handle("/mirror/v1.2.3/", http.StripPrefix("/mirror/v1.2.3/", release(t, b)))
		at := httptest.NewServer(mux)
		t.Cleanup(at.Close)
		b.path = nil
		all := map[string]string{
			"subject": pattern("cases/pandora57-pandora83/subject.trace.gz"), "reference": pattern("cases/pandora57-pandora83/reference.trace"),
			"version": "v1.2.3", "releases": at.URL + "/mirror",
		}
		maps.Copy(all, inputs)
		name, job := readComponent(t).include(t, all)
		maps.Copy(b.env, map[string]string{
			"GITLAB_CI": "true", "CI_API_V4_URL": at.URL + "/api/v4", "CI_PROJECT_ID": "12", "CI_JOB_NAME": name, "CI_PIPELINE_SOURCE": "merge_request_event",
			"CI_MERGE_REQUEST_IID": "5", "CI_MERGE_REQUEST_PROJECT_ID": "12", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "12", "CI_PROJECT_URL": "https://gitlab.test/acme/app",
			"CI_COMMIT_SHA": "4f2c1a", "GITLAB_TOKEN": commenttest.Token,
		})
		maps.Copy(b.env, env)
		for key, v := range job.Variables {
			if v.Expand == nil || *v.Expand {
				t.Errorf("what stands in the variable %s would be replaced", key)
			}
			b.env[key] = v.Value
		}
		script = strings.Join(job.Script, "\n")
		output, code = b.run(shell, "component", script, nil)
		if len(s.Problems()) > 0 {
			t.Error(s.Problems())
		}
		return b, s, job, output, code
	}
	for _, shell := range []string{"bash", "sh"} {
		b, s, job, output, code := do(t, shell, map[string]string{"output": "my report", "arguments": "--top=3\r\n--kind=more"}, nil)
		if comments := s.Comments(); code != 0 || len(comments) != 1 || !strings.HasPrefix(comments[0].Body, "<!-- diffprof: energy -->\n### ") {
			t.Errorf("%s ended with %d, comments %+v: %s", shell, code, comments, output)
		}
		if !json.Valid([]byte(b.get(job.Artifacts.Reports["codequality"]))) || !strings.Contains(b.get(job.Artifacts.Reports["junit"]), "<testsuite ") || job.Artifacts.Paths[0] != "my report" {
			t.Errorf("%s left no reports: %+v", shell, job.Artifacts)
		}
	}
	_, s, _, output, code := do(t, "bash", map[string]string{"fail-on": "saving>90%\nrow>1%", "name": "phone"}, nil)
	if code != 1 || len(s.Comments()) != 1 || !strings.HasPrefix(s.Comments()[0].Body, "<!-- diffprof: phone -->") || !strings.Contains(output, "--fail-on: row>1%: one task or method could save ") {
		t.Errorf("a condition holds: ended with %d: %s", code, output)
	}
	for name, c := range map[string]struct {
		inputs, env map[string]string
		code        int
		output      string
	}{
		"no comment":        {map[string]string{"comment": "false"}, nil, 0, "No comment was asked for."},
		"a fork":            {nil, map[string]string{"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "99"}, 0, "so there is no comment"},
		"no token":          {nil, map[string]string{"GITLAB_TOKEN": "", "CI_JOB_TOKEN": "job"}, 0, "Warning: the comment could not be posted."},
		"a bad token":       {nil, map[string]string{"GITLAB_TOKEN": "another"}, 0, "Warning: the comment could not be posted."},
		"worse, no token":   {map[string]string{"fail-on": "row>1%"}, map[string]string{"GITLAB_TOKEN": ""}, 1, "there is no token for GitLab"},
		"it must be posted": {map[string]string{"fail-without-comment": "true"}, map[string]string{"GITLAB_TOKEN": ""}, 3, "there is no token for GitLab"},
		"not judged":        {map[string]string{"fail-on": "evidence", "comment": "false"}, nil, 2, "a side has only one run"},
		"no recordings":     {map[string]string{"subject": "no/such/*.trace"}, nil, 2, "no/such/*.trace: no file matches the pattern"},
		"no such release":   {map[string]string{"version": "v9.9.9"}, nil, 8, ""},
		"nothing is run":    {map[string]string{"fail-on": "$(touch hacked)`touch hacked`\"; touch hacked; '"}, nil, 2, "--fail-on"},
		"a mapping by name": {map[string]string{"arguments": "--mapping-subject=no such.txt"}, nil, 2, "no such.txt"},
	} {
		b, s, _, output, code := do(t, "bash", c.inputs, c.env)
		if code != c.code || !strings.Contains(output, c.output) || len(s.Comments()) != 0 || b.get("hacked") != "" {
			t.Errorf("%s: ended with %d, %d comments: %s", name, code, len(s.Comments()), output)
		}
	}
	seen.all(t, "component", script)
}

// TestComponentIsWhole checks that each input is used and documented.
func TestComponentIsWhole(t *testing.T) {
	c := readComponent(t)
	guide, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, input := range c.Spec.Inputs {
		if input.Description == "" || !strings.Contains(c.text, fmt.Sprintf("$[[ inputs.%s ]]", name)) {
			t.Errorf("the input %s has no description, or is not used", name)
		}
		if !strings.Contains(string(guide), "\n- `"+name+"`: ") {
			t.Errorf("docs/ci.md does not tell of the input %s", name)
		}
	}
}
