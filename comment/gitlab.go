package comment

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// A gitlab is GitLab's REST API, on gitlab.com or on a private server. It implements host. See
// https://docs.gitlab.com/api/notes.
type gitlab struct {
	*client
	change Change
	// address is the web page of the merge request.
	address string
}

func newGitLab(c Change, o Options) (host, *client) {
	made := newClient(o, http.Header{"Accept": {"application/json"}})
	return &gitlab{client: made, change: c}, made
}

func (g *gitlab) request() string {
	return fmt.Sprintf("%s/projects/%s/merge_requests/%d", g.change.API, url.PathEscape(g.change.Repo), g.change.Number)
}

func (g *gitlab) note(id int64) string { return fmt.Sprintf("%s/notes/%d", g.request(), id) }

func (g *gitlab) open(ctx context.Context) (int64, string, error) {
	var who struct {
		ID int64 `json:"id"`
	}
	if _, err := g.do(ctx, request{method: http.MethodGet, address: g.change.API + "/user"}, &who); err != nil {
		return 0, "", err
	}
	if who.ID == 0 {
		return 0, "", fmt.Errorf("GET %s/user: the answer does not identify the user of the token; check --api", g.change.API)
	}
	var change struct {
		URL string `json:"web_url"`
	}
	if _, err := g.do(ctx, request{method: http.MethodGet, address: g.request()}, &change); err != nil {
		return 0, "", err
	}
	g.address = change.URL
	return who.ID, change.URL, nil
}

// A gitlabNote is a comment in GitLab's format.
type gitlabNote struct {
	ID     int64  `json:"id"`
	Body   string `json:"body"`
	Author struct {
		ID int64 `json:"id"`
	} `json:"author"`
}

func (g *gitlab) post(n gitlabNote) post {
	return post{n.ID, n.Author.ID, n.Body, fmt.Sprintf("%s#note_%d", g.address, n.ID)}
}

func (g *gitlab) list(ctx context.Context) ([]post, error) {
	var all []post
	next := "1"
	for range maxPages {
		var page []gitlabNote
		query := url.Values{"per_page": {"100"}, "order_by": {"created_at"}, "sort": {"asc"}, "page": {next}}
		header, err := g.do(ctx, request{method: http.MethodGet, address: g.request() + "/notes?" + query.Encode()}, &page)
		if err != nil {
			return nil, err
		}
		for _, n := range page {
			all = append(all, g.post(n))
		}
		if next = header.Get("X-Next-Page"); next == "" {
			return all, nil
		}
	}
	return nil, errTooMany
}

func (g *gitlab) create(ctx context.Context, body string) (post, error) {
	return g.write(ctx, request{method: http.MethodPost, address: g.request() + "/notes", body: text{body}, once: true})
}

func (g *gitlab) edit(ctx context.Context, id int64, body string) (post, error) {
	return g.write(ctx, request{method: http.MethodPut, address: g.note(id), body: text{body}})
}

func (g *gitlab) write(ctx context.Context, r request) (post, error) {
	var made gitlabNote
	_, err := g.do(ctx, r, &made)
	return g.post(made), err
}

func (g *gitlab) remove(ctx context.Context, id int64) error {
	_, err := g.do(ctx, request{method: http.MethodDelete, address: g.note(id)}, nil)
	return err
}

func (g *gitlab) advice(f *failure) string {
	const token = "a token of the project with the role Developer and the scope api can write comments"
	switch {
	case f.limited:
		return ""
	case f.status == http.StatusUnauthorized:
		return "the token in GITLAB_TOKEN is not valid here, or has expired; " + token
	case f.status == http.StatusForbidden && strings.Contains(f.message, "insufficient_scope"):
		return "the token lacks the scope api"
	case f.status == http.StatusForbidden:
		return "the token cannot write here; " + token + "; in a locked discussion, it must be a member's"
	case f.status == http.StatusNotFound:
		return "the merge request does not exist, or the token cannot read it: check --repo and --pull-request; " + token
	}
	return ""
}
