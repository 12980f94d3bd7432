package comment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// A github is GitHub's REST API, on github.com or on a private server. It implements host. The
// token of a job can find its user only by GraphQL. See
// https://docs.github.com/en/rest/issues/comments.
type github struct {
	*client
	change Change
}

func newGitHub(c Change, o Options) (host, *client) {
	made := newClient(o, http.Header{"Accept": {"application/vnd.github+json"}, "X-Github-Api-Version": {"2022-11-28"}})
	return &github{made, c}, made
}

func (g *github) issue() string {
	return fmt.Sprintf("%s/issues/%d/comments", g.repo(), g.change.Number)
}

func (g *github) repo() string { return g.change.API + "/repos/" + g.change.Repo }

func (g *github) commentPath(id int64) string {
	return fmt.Sprintf("%s/issues/comments/%d", g.repo(), id)
}

// graphql returns the address of GraphQL.
func (g *github) graphql() string {
	return strings.TrimSuffix(g.change.API, "/v3") + "/graphql"
}

func (g *github) open(ctx context.Context) (int64, string, error) {
	var who struct {
		Data struct {
			Viewer struct {
				ID int64 `json:"databaseId"`
			} `json:"viewer"`
		} `json:"data"`
		Errors []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	ask := request{method: http.MethodPost, address: g.graphql(), body: map[string]string{"query": "{viewer{databaseId}}"}, query: true}
	if _, err := g.do(ctx, ask, &who); err != nil {
		return 0, "", err
	}
	if len(who.Errors) > 0 {
		return 0, "", fmt.Errorf("POST %s: %s", ask.address, g.clean(who.Errors[0].Message))
	}
	if who.Data.Viewer.ID == 0 {
		return 0, "", fmt.Errorf("POST %s: the answer does not identify the user of the token; check --api", ask.address)
	}
	if g.change.Number == 0 {
		if err := g.find(ctx); err != nil {
			return 0, "", err
		}
	}
	var pull struct {
		URL string `json:"html_url"`
	}
	if _, err := g.do(ctx, request{method: http.MethodGet, address: fmt.Sprintf("%s/pulls/%d", g.repo(), g.change.Number)}, &pull); err != nil {
		return 0, "", err
	}
	return who.Data.Viewer.ID, pull.URL, nil
}

// find finds the pull request of a commit by its branch.
func (g *github) find(ctx context.Context) error {
	var pulls []struct {
		Number int `json:"number"`
		Head   struct {
			SHA string `json:"sha"`
		} `json:"head"`
	}
	query := url.Values{"state": {"open"}, "head": {g.change.head.branch}, "per_page": {"100"}}
	if _, err := g.do(ctx, request{method: http.MethodGet, address: g.repo() + "/pulls?" + query.Encode()}, &pulls); err != nil {
		return err
	}
	for _, p := range pulls {
		if p.Head.SHA == g.change.head.commit {
			g.change.Number = p.Number
			return nil
		}
	}
	return fmt.Errorf("no open pull request of %s ends with the commit %s: it may have a newer commit, or may be closed", g.change.head.branch, g.change.head.commit)
}

// A githubComment is a comment in GitHub's format.
type githubComment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	URL  string `json:"html_url"`
	User struct {
		ID int64 `json:"id"`
	} `json:"user"`
}

func (c githubComment) post() post { return post{c.ID, c.User.ID, c.Body, c.URL} }

func (g *github) list(ctx context.Context) ([]post, error) {
	var all []post
	next := g.issue() + "?per_page=100"
	for range maxPages {
		var page []githubComment
		header, err := g.do(ctx, request{method: http.MethodGet, address: next}, &page)
		if err != nil {
			return nil, err
		}
		for _, c := range page {
			all = append(all, c.post())
		}
		link := linked(header, "next")
		if link == "" {
			return all, nil
		}
		if !strings.HasPrefix(link, g.change.API+"/") {
			return nil, fmt.Errorf("GET %s: the next page is on another host, %s; the token is not sent there", next, g.clean(link))
		}
		next = link
	}
	return nil, errTooMany
}

var errTooMany = fmt.Errorf("there are more than %d comments", maxPages*100)

// linked returns the address for a relation in a Link header (RFC 8288), or "".
func linked(header http.Header, relation string) string {
	for _, list := range header.Values("Link") {
		for list != "" {
			_, rest, _ := strings.Cut(list, "<")
			address, rest, _ := strings.Cut(rest, ">")
			parameters, _, _ := strings.Cut(rest, "<")
			for p := range strings.SplitSeq(parameters, ";") {
				if strings.Trim(p, " ,") == `rel="`+relation+`"` {
					return address
				}
			}
			list = rest
		}
	}
	return ""
}

func (g *github) create(ctx context.Context, body string) (post, error) {
	return g.write(ctx, request{method: http.MethodPost, address: g.issue(), body: text{body}, once: true})
}

func (g *github) edit(ctx context.Context, id int64, body string) (post, error) {
	return g.write(ctx, request{method: http.MethodPatch, address: g.commentPath(id), body: text{body}})
}

// text is the body of a request that writes a comment.
type text struct {
	Body string `json:"body"`
}

func (g *github) write(ctx context.Context, r request) (post, error) {
	var made githubComment
	_, err := g.do(ctx, r, &made)
	return made.post(), err
}

func (g *github) remove(ctx context.Context, id int64) error {
	_, err := g.do(ctx, request{method: http.MethodDelete, address: g.commentPath(id)}, nil)
	return err
}

func (g *github) advice(f *failure) string {
	switch {
	case f.limited || errors.Is(f, context.DeadlineExceeded):
		return ""
	case f.status == http.StatusUnauthorized:
		return "the token in GITHUB_TOKEN or GH_TOKEN is not valid here, or has expired"
	case f.status == http.StatusForbidden && strings.Contains(f.message, "locked"):
		return "the conversation is locked: unlock it, or use a token with write access to the repository"
	case f.status == http.StatusForbidden && g.change.Fork:
		return "the token for a pull request from a fork is read-only: comment from a workflow on workflow_run (see docs/ci.md), or on pull_request_target without building the fork's code"
	case f.status == http.StatusForbidden:
		return "the token cannot write: give the job permissions: pull-requests: write"
	case f.status == http.StatusNotFound:
		return "the pull request does not exist, or the token cannot read it: check --repo and --pull-request, and give the job permissions: pull-requests: write"
	}
	return ""
}
