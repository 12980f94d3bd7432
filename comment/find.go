package comment

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A Service is a service for reviewing changes.
type Service string

// The services.
const (
	GitHub Service = "github"
	GitLab Service = "gitlab"
)

// services has the data of each service: its name, the default address of its API, the maximum
// length of a comment in characters, the environment variables that may hold a token, and the
// function that opens the API.
var services = map[Service]struct {
	name, api string
	most      int
	tokens    []string
	open      func(Change, Options) (host, *client)
}{
	GitHub: {"GitHub", "https://api.github.com", 65_536, []string{"GITHUB_TOKEN", "GH_TOKEN"}, newGitHub},
	GitLab: {"GitLab", "https://gitlab.com/api/v4", 1_000_000, []string{"GITLAB_TOKEN"}, newGitLab},
}

// A Change is a pull request of GitHub or a merge request of GitLab.
type Change struct {
	Service Service
	// API is the base address of the REST API, such as https://api.github.com, https://HOST/api/v3
	// or https://HOST/api/v4.
	API string
	// Repo is OWNER/NAME on GitHub, and the path or number of a project on GitLab.
	Repo string
	// Number is the number of the request. If it is 0, the request is found by the branch and the
	// commit of the build.
	Number int
	// Fork reports that the change comes from a fork.
	Fork bool

	head head
}

// A head identifies the end of a pull request: its branch, prefixed with the owner, and its last
// commit.
type head struct{ branch, commit string }

// String returns the usual name of the change.
func (c Change) String() string {
	mark := "#"
	if c.Service == GitLab {
		mark = "!"
	}
	if c.Number == 0 {
		return c.Repo + " at " + c.head.commit
	}
	return c.Repo + mark + strconv.Itoa(c.Number)
}

// Options configure the access to a service.
type Options struct {
	// Token is sent with each request, but only to the host of the API.
	Token string
	// Version is diffprof's version, for the User-Agent.
	Version string
	// Patience is the total time for waiting before requests are repeated.
	Patience time.Duration
	// Transport sends requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
}

// Open returns the conversation on a change. It sends no request.
func Open(c Change, o Options) *Conversation {
	host, client := services[c.Service].open(c, o)
	return &Conversation{host: host, client: client, change: c}
}

// Find completes a change from the environment of a job in GitHub Actions or GitLab CI. It reads
// the file that GITHUB_EVENT_PATH names.
func Find(getenv func(string) string, given Change) (Change, error) {
	c := given
	if c.Service == "" {
		switch {
		case strings.HasSuffix(strings.TrimRight(c.API, "/"), "/api/v4"), c.API == "" && getenv("GITLAB_CI") != "":
			c.Service = GitLab
		case c.API != "", getenv("GITHUB_ACTIONS") != "":
			c.Service = GitHub
		default:
			return c, errors.New("not a job of GitHub Actions or GitLab CI: give --service, --repo and --pull-request")
		}
	}
	var err error
	switch {
	case c.Service == GitHub && getenv("GITHUB_ACTIONS") != "":
		err = c.inActions(getenv)
	case c.Service == GitLab && getenv("GITLAB_CI") != "":
		err = c.inPipeline(getenv)
	}
	if err != nil {
		return c, err
	}
	c.API = strings.TrimRight(cmp.Or(c.API, services[c.Service].api), "/")
	return c, c.check()
}

// inActions adds the data of a job in GitHub Actions. If the number of a pull request is given, it
// belongs to the given repository, or else to the job's repository.
func (c *Change) inActions(getenv func(string) string) error {
	c.API = cmp.Or(c.API, getenv("GITHUB_API_URL"))
	here := getenv("GITHUB_REPOSITORY")
	c.Repo = cmp.Or(c.Repo, here)
	path := getenv("GITHUB_EVENT_PATH")
	if path == "" || c.Repo != here {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the event of the build: %w", err)
	}
	var event event
	if err := json.Unmarshal(data, &event); err != nil {
		return fmt.Errorf("reading the event of the build: %s: %w", path, err)
	}
	number := 0
	switch {
	case event.PullRequest != nil:
		p := event.PullRequest
		number, c.Fork = p.Number, p.Head.Repo.Name != p.Base.Repo.Name
	case event.Issue != nil && event.Issue.PullRequest != nil:
		number = event.Issue.Number
	case event.Run != nil:
		c.head = head{event.Run.Repo.Owner.Login + ":" + event.Run.Branch, event.Run.Commit}
	case c.Number == 0:
		return fmt.Errorf("not a pull-request build (its event is %s): run the step only on pull_request, or give --pull-request", getenv("GITHUB_EVENT_NAME"))
	}
	c.Number = cmp.Or(c.Number, number)
	return nil
}

// An event has the fields of a GitHub Actions event that identify a pull request.
type event struct {
	PullRequest *struct {
		Number int `json:"number"`
		Head   end `json:"head"`
		Base   end `json:"base"`
	} `json:"pull_request"`
	Issue *struct {
		Number      int       `json:"number"`
		PullRequest *struct{} `json:"pull_request"`
	} `json:"issue"`
	// A run of a fork does not name its pull request.
	Run *struct {
		Branch string `json:"head_branch"`
		Commit string `json:"head_sha"`
		Repo   struct {
			Owner struct {
				Login string `json:"login"`
			} `json:"owner"`
		} `json:"head_repository"`
	} `json:"workflow_run"`
}

type end struct {
	Repo struct {
		Name string `json:"full_name"`
	} `json:"repo"`
}

// inPipeline adds the data of a job in GitLab CI.
func (c *Change) inPipeline(getenv func(string) string) error {
	c.API = cmp.Or(c.API, getenv("CI_API_V4_URL"))
	if c.Repo != "" {
		return nil
	}
	target := getenv("CI_MERGE_REQUEST_PROJECT_ID")
	c.Repo = cmp.Or(target, getenv("CI_PROJECT_ID"))
	if source := getenv("CI_MERGE_REQUEST_SOURCE_PROJECT_ID"); target != "" && source != "" {
		c.Fork = source != target
	}
	if c.Number != 0 {
		return nil
	}
	number := getenv("CI_MERGE_REQUEST_IID")
	if number == "" {
		return fmt.Errorf("not a merge-request pipeline (its source is %s): run the job with rules: if: $CI_PIPELINE_SOURCE == \"merge_request_event\", or give --pull-request", getenv("CI_PIPELINE_SOURCE"))
	}
	var err error
	if c.Number, err = strconv.Atoi(number); err != nil {
		return fmt.Errorf("CI_MERGE_REQUEST_IID %q is not a number", number)
	}
	return nil
}

var ownerAndName = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)

func (c *Change) check() error {
	at, err := url.Parse(c.API)
	switch {
	case err != nil, at.Host == "", at.Scheme != "https" && at.Scheme != "http", at.RawQuery != "", at.Fragment != "":
		return errors.New("invalid base address of the API: write one such as " + services[c.Service].api)
	case at.User != nil:
		return errors.New("the base address of the API must not contain a password: tokens come from the environment")
	case c.Repo == "":
		return errors.New("unknown repository: give --repo")
	case c.Service == GitHub && !ownerAndName.MatchString(c.Repo):
		return fmt.Errorf("the repository %q does not have the form OWNER/NAME", c.Repo)
	case c.Number < 0, c.Number == 0 && c.head.commit == "":
		return errors.New("unknown number of the pull request: give --pull-request")
	}
	return nil
}

// Token returns the token for a change from the environment.
func Token(getenv func(string) string, c Change) (string, error) {
	s := services[c.Service]
	for _, variable := range s.tokens {
		if token := strings.TrimSpace(getenv(variable)); token != "" {
			return token, nil
		}
	}
	missing := "there is no token for " + s.name + ": set " + strings.Join(s.tokens, " or ")
	switch {
	case c.Service == GitHub && getenv("GITHUB_ACTIONS") != "":
		missing += `, in Actions by env: GITHUB_TOKEN: ${{ github.token }}`
	case c.Service == GitLab && c.Fork:
		missing += "; the pipeline of a fork's merge request does not get the project's variables: a member can run it in the project"
	case c.Service == GitLab && getenv("CI_JOB_TOKEN") != "":
		missing += ", a masked variable of the project; CI_JOB_TOKEN cannot write comments, a token of the project with the role Developer and the scope api can"
	}
	return "", errors.New(missing)
}

// Name returns the default name of a job's comment: the workflow and the job, so that two jobs do
// not overwrite each other's comments. Outside of a job it is Plain.
func Name(getenv func(string) string) string {
	switch {
	case getenv("GITLAB_CI") != "" && getenv("CI_JOB_NAME") != "":
		return getenv("CI_JOB_NAME")
	case getenv("GITHUB_ACTIONS") != "" && getenv("GITHUB_JOB") != "":
		return getenv("GITHUB_WORKFLOW") + " / " + getenv("GITHUB_JOB")
	}
	return Plain
}
