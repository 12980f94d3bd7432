package comment_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/comment"
	"github.com/diffprof/diffprof/comment/commenttest"
)

// environment returns a function that looks up variables. EVENT is the content of the file that
// GITHUB_EVENT_PATH names.
func environment(t *testing.T, variables map[string]string) func(string) string {
	t.Helper()
	if event, ok := variables["EVENT"]; ok {
		path := filepath.Join(t.TempDir(), "event.json")
		if err := os.WriteFile(path, []byte(event), 0o666); err != nil {
			t.Fatal(err)
		}
		variables["GITHUB_EVENT_PATH"] = path
	}
	return func(name string) string { return variables[name] }
}

// actions returns the variables of a job in GitHub Actions. others has the names and values of
// further variables.
func actions(event string, others ...string) map[string]string {
	made := map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_API_URL": "https://api.github.com", "GITHUB_REPOSITORY": "acme/app", "GITHUB_WORKFLOW": "CI",
		"GITHUB_JOB": "energy", "GITHUB_EVENT_NAME": "push", "EVENT": event,
	}
	for i := 0; i < len(others); i += 2 {
		made[others[i]] = others[i+1]
	}
	return made
}

// pipeline returns the variables of a job in GitLab CI. others has the names and values of further
// variables.
func pipeline(others ...string) map[string]string {
	made := map[string]string{
		"GITLAB_CI": "true", "CI_API_V4_URL": "https://gitlab.acme.test/api/v4", "CI_PROJECT_ID": "12", "CI_JOB_NAME": "energy: [phone]",
		"CI_JOB_TOKEN": "job", "CI_PIPELINE_SOURCE": "push",
	}
	for i := 0; i < len(others); i += 2 {
		made[others[i]] = others[i+1]
	}
	return made
}

const pull = `{"pull_request": {"number": 5, "head": {"repo": {"full_name": "acme/app"}}, "base": {"repo": {"full_name": "acme/app"}}}}`

func TestFind(t *testing.T) {
	request := []string{"CI_MERGE_REQUEST_IID", "5", "CI_MERGE_REQUEST_PROJECT_ID", "12", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "12"}
	for name, c := range map[string]struct {
		variables map[string]string
		given     comment.Change
		want      string // the result, or a part of the error
	}{
		"a pull request":                   {actions(pull), comment.Change{}, "github https://api.github.com acme/app 5 false"},
		"a fork's":                         {actions(strings.Replace(pull, "acme/app", "someone/app", 1)), comment.Change{}, "github https://api.github.com acme/app 5 true"},
		"a deleted fork's":                 {actions(`{"pull_request": {"number": 5, "head": {"repo": null}, "base": {"repo": {"full_name": "acme/app"}}}}`), comment.Change{}, "github https://api.github.com acme/app 5 true"},
		"a comment on a pull request":      {actions(`{"issue": {"number": 6, "pull_request": {}}}`), comment.Change{}, "github https://api.github.com acme/app 6 false"},
		"a comment on an issue":            {actions(`{"issue": {"number": 6}}`), comment.Change{}, "not a pull-request build (its event is push): run the step only on pull_request, or give --pull-request"},
		"a push":                           {actions(`{"ref": "refs/heads/main"}`), comment.Change{}, "not a pull-request build"},
		"a push, with a number":            {actions(`{"ref": "refs/heads/main"}`), comment.Change{Number: 7}, "github https://api.github.com acme/app 7 false"},
		"a run of another workflow":        {actions(`{"workflow_run": {"head_branch": "feature", "head_sha": "8f3e", "head_repository": {"owner": {"login": "someone"}}}}`), comment.Change{}, "github https://api.github.com acme/app 0 false"},
		"another repository":               {actions(pull), comment.Change{Repo: "acme/other", Number: 8}, "github https://api.github.com acme/other 8 false"},
		"another repository, no number":    {actions(pull), comment.Change{Repo: "acme/other"}, "unknown number of the pull request: give --pull-request"},
		"an event that is none":            {actions(`{"pull_request": [`), comment.Change{}, "event.json: unexpected end of JSON input"},
		"an event that is not there":       {map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "a/b", "GITHUB_EVENT_PATH": "/no/such"}, comment.Change{}, "reading the event of the build: open /no/such"},
		"GitHub Enterprise":                {actions(pull, "GITHUB_API_URL", "https://git.acme.test/api/v3"), comment.Change{}, "github https://git.acme.test/api/v3 acme/app 5 false"},
		"a merge request":                  {pipeline(request...), comment.Change{}, "gitlab https://gitlab.acme.test/api/v4 12 5 false"},
		"a fork's merge request":           {pipeline("CI_MERGE_REQUEST_IID", "5", "CI_MERGE_REQUEST_PROJECT_ID", "12", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "99"), comment.Change{}, "gitlab https://gitlab.acme.test/api/v4 12 5 true"},
		"a pipeline of a branch":           {pipeline(), comment.Change{}, `not a merge-request pipeline (its source is push): run the job with rules: if: $CI_PIPELINE_SOURCE == "merge_request_event", or give --pull-request`},
		"a pipeline that gives a number":   {pipeline(), comment.Change{Number: 9}, "gitlab https://gitlab.acme.test/api/v4 12 9 false"},
		"a number that is none":            {pipeline("CI_MERGE_REQUEST_IID", "x"), comment.Change{}, `CI_MERGE_REQUEST_IID "x" is not a number`},
		"nothing":                          {nil, comment.Change{}, "not a job of GitHub Actions or GitLab CI: give --service, --repo and --pull-request"},
		"GitHub by hand":                   {nil, comment.Change{Service: comment.GitHub, Repo: "acme/app", Number: 5}, "github https://api.github.com acme/app 5 false"},
		"GitLab by hand":                   {nil, comment.Change{Service: comment.GitLab, Repo: "group/sub/app", Number: 5}, "gitlab https://gitlab.com/api/v4 group/sub/app 5 false"},
		"GitLab by its address":            {nil, comment.Change{API: "https://git.acme.test/api/v4/", Repo: "group/app", Number: 5}, "gitlab https://git.acme.test/api/v4 group/app 5 false"},
		"GitHub by its address":            {nil, comment.Change{API: "https://git.acme.test/api/v3", Repo: "acme/app", Number: 5}, "github https://git.acme.test/api/v3 acme/app 5 false"},
		"GitHub from a job of GitLab":      {pipeline(request...), comment.Change{Service: comment.GitHub, Repo: "acme/app", Number: 5}, "github https://api.github.com acme/app 5 false"},
		"no repository":                    {nil, comment.Change{Service: comment.GitHub, Number: 5}, "unknown repository: give --repo"},
		"no number":                        {nil, comment.Change{Service: comment.GitHub, Repo: "acme/app"}, "unknown number of the pull request"},
		"a repository that is a path":      {nil, comment.Change{Service: comment.GitHub, Repo: "acme/app/../x", Number: 5}, "does not have the form OWNER/NAME"},
		"an address that is none":          {nil, comment.Change{API: "git.acme.test", Repo: "acme/app", Number: 5}, "invalid base address of the API: write one such as https://api.github.com"},
		"an address with a password in it": {nil, comment.Change{API: "https://me:secret@git.acme.test/api/v3", Repo: "acme/app", Number: 5}, "must not contain a password"},
	} {
		found, err := comment.Find(environment(t, c.variables), c.given)
		got := fmt.Sprintf("%s %s %s %d %t", found.Service, found.API, found.Repo, found.Number, found.Fork)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || strings.Contains(got, "secret") {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestARunOfAForkIsFound has the event of a workflow that runs after another. It does not name the
// pull request. The branch and its last commit identify the pull request.
func TestARunOfAForkIsFound(t *testing.T) {
	for commit, want := range map[string]string{commenttest.Commit: "", "0ld": "no open pull request of someone:feature ends with the commit 0ld"} {
		s := commenttest.New()
		change, err := comment.Find(environment(t, actions(`{"workflow_run": {"head_branch": "feature", "head_sha": "`+commit+`", "head_repository": {"owner": {"login": "someone"}}}}`,
			"GITHUB_API_URL", changes[0].API)), comment.Change{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = open(change, wire{server: s}).Put(t.Context(), "Energy", "one", false)
		if want == "" && (err != nil || len(bodies(t, s)) != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", commit, err, want)
		}
	}
}

func TestToken(t *testing.T) {
	github, gitlab := changes[0], changes[1]
	fork := gitlab
	fork.Fork = true
	for _, c := range []struct {
		change    comment.Change
		variables map[string]string
		want      string
	}{
		{github, map[string]string{"GITHUB_TOKEN": " one\n", "GH_TOKEN": "two"}, "one"},
		{github, map[string]string{"GH_TOKEN": "two", "GITLAB_TOKEN": "three"}, "two"},
		{gitlab, map[string]string{"GH_TOKEN": "two", "GITLAB_TOKEN": "three"}, "three"},
		{github, map[string]string{"GITLAB_TOKEN": "three"}, "there is no token for GitHub: set GITHUB_TOKEN or GH_TOKEN"},
		{github, actions(pull), "there is no token for GitHub: set GITHUB_TOKEN or GH_TOKEN, in Actions by env: GITHUB_TOKEN: ${{ github.token }}"},
		{gitlab, pipeline(), "there is no token for GitLab: set GITLAB_TOKEN, a masked variable of the project; CI_JOB_TOKEN cannot write comments, a token of the project with the role Developer and the scope api can"},
		{fork, pipeline(), "there is no token for GitLab: set GITLAB_TOKEN; the pipeline of a fork's merge request does not get the project's variables: a member can run it in the project"},
	} {
		got, err := comment.Token(environment(t, c.variables), c.change)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.variables, got, c.want)
		}
	}
}

func TestName(t *testing.T) {
	for want, variables := range map[string]map[string]string{
		"CI / energy": actions(pull), "energy: [phone]": pipeline(), comment.Plain: nil,
	} {
		if got := comment.Name(environment(t, variables)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
