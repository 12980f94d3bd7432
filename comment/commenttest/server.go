// Package commenttest simulates GitHub and GitLab for tests of comments on one pull request. The
// answers have the form in the documentation of the services. The server checks requests against
// that documentation.
package commenttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// These are the token of the bot, the ids of the bot and of a person, and the commit of the pull
// request.
const (
	Token  = "token-of-the-bot"
	Bot    = 41898282
	Person = 7
	Commit = "8f3e0c1d"
)

// A Comment is a comment on the pull request.
type Comment struct {
	ID, Author int64
	Body       string
	System     bool
}

// A Server serves both APIs: GitHub's at /api/v3 with GraphQL at /api/graphql, for pull request 5
// of acme/app, and GitLab's at /api/v4, for merge request 5 of project 12, acme/app. It is safe for
// concurrent use once its fields are set.
type Server struct {
	// Fault may answer a request in place of the server. It then returns true. n is the number of
	// the request, from 1. Fault may be nil.
	Fault func(w http.ResponseWriter, r *http.Request, n int) bool
	// PerPage is the maximum number of comments of a page, even if a request asks for more.
	PerPage int

	mu       sync.Mutex
	comments []Comment
	last     int64
	requests []string
	problems []string
}

// New returns a server with these comments. It numbers them.
func New(comments ...Comment) *Server {
	s := &Server{PerPage: 100, last: 100}
	for _, c := range comments {
		s.last++
		c.ID = s.last
		s.comments = append(s.comments, c)
	}
	return s
}

// Comments returns the current comments.
func (s *Server) Comments() []Comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Comment(nil), s.comments...)
}

// Requests returns the method and path of all requests, in their order.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// Problems describes the faults of the requests, such as a missing User-Agent.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.problems...)
}

// ServeHTTP implements http.Handler. It serves one request at a time.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
	if s.Fault != nil && s.Fault(w, r, len(s.requests)) {
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Token {
		fail(w, http.StatusUnauthorized, "Bad credentials")
		return
	}
	if !strings.HasPrefix(r.UserAgent(), "diffprof/") {
		s.problem(r, "has no User-Agent")
	}
	for _, api := range []struct {
		prefix  string
		headers map[string]string
		serve   func(w http.ResponseWriter, r *http.Request, path string) bool
	}{
		{"/api/graphql", map[string]string{"Accept": "application/vnd.github+json"}, s.graphql},
		{"/api/v3", map[string]string{"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}, s.github},
		{"/api/v4", map[string]string{"Accept": "application/json"}, s.gitlab},
	} {
		path, ok := strings.CutPrefix(r.URL.EscapedPath(), api.prefix)
		if !ok {
			continue
		}
		for name, value := range api.headers {
			if r.Header.Get(name) != value {
				s.problem(r, "has the header "+name+": "+r.Header.Get(name))
			}
		}
		if api.serve(w, r, path) {
			return
		}
	}
	fail(w, http.StatusNotFound, "Not Found")
}

func (s *Server) problem(r *http.Request, what string) {
	s.problems = append(s.problems, r.Method+" "+r.URL.Path+" "+what)
}

func (s *Server) graphql(w http.ResponseWriter, r *http.Request, path string) bool {
	var ask struct{ Query string }
	s.read(r, &ask)
	if r.Method != http.MethodPost || path != "" || ask.Query != "{viewer{databaseId}}" {
		return false
	}
	answer(w, http.StatusOK, map[string]any{"data": map[string]any{"viewer": map[string]any{"databaseId": Bot}}})
	return true
}

func (s *Server) github(w http.ResponseWriter, r *http.Request, path string) bool {
	const repo = "/repos/acme/app"
	form := func(c Comment) any {
		return map[string]any{"id": c.ID, "body": c.Body, "html_url": fmt.Sprintf("https://github.test/acme/app/pull/5#issuecomment-%d", c.ID), "user": map[string]any{"id": c.Author}}
	}
	pull := map[string]any{"number": 5, "html_url": "https://github.test/acme/app/pull/5", "head": map[string]any{"sha": Commit}}
	if id, ok := strings.CutPrefix(path, repo+"/issues/comments/"); ok {
		return s.one(w, r, id, http.MethodPatch, form)
	}
	switch r.Method + " " + path {
	case "GET " + repo + "/pulls/5":
		answer(w, http.StatusOK, pull)
	case "GET " + repo + "/pulls":
		found := []any{}
		if q := r.URL.Query(); q.Get("head") == "someone:feature" && q.Get("state") == "open" {
			found = append(found, pull)
		}
		answer(w, http.StatusOK, found)
	case "GET " + repo + "/issues/5/comments":
		page, next := s.page(r, form)
		if next > 0 {
			here := fmt.Sprintf("%s://%s%s?per_page=100&page=", cmp.Or(r.URL.Scheme, "http"), r.Host, r.URL.Path)
			w.Header().Set("Link", fmt.Sprintf(`<%s1>; rel="first", <%s%d>; rel="next"`, here, here, next))
		}
		answer(w, http.StatusOK, page)
	case "POST " + repo + "/issues/5/comments":
		s.create(w, r, form)
	default:
		return false
	}
	return true
}

func (s *Server) gitlab(w http.ResponseWriter, r *http.Request, path string) bool {
	form := func(c Comment) any {
		return map[string]any{"id": c.ID, "body": c.Body, "system": c.System, "author": map[string]any{"id": c.Author}}
	}
	if r.Method == http.MethodGet && path == "/user" {
		answer(w, http.StatusOK, map[string]any{"id": Bot})
		return true
	}
	path, ok := strings.CutPrefix(path, "/projects/12")
	if !ok {
		if path, ok = strings.CutPrefix(path, "/projects/acme%2Fapp"); !ok {
			return false
		}
	}
	if path, ok = strings.CutPrefix(path, "/merge_requests/5"); !ok {
		return false
	}
	if id, ok := strings.CutPrefix(path, "/notes/"); ok {
		return s.one(w, r, id, http.MethodPut, form)
	}
	switch r.Method + " " + path {
	case "GET ":
		answer(w, http.StatusOK, map[string]any{"iid": 5, "web_url": "https://gitlab.test/acme/app/-/merge_requests/5"})
	case "GET /notes":
		page, next := s.page(r, form)
		w.Header().Set("X-Next-Page", "")
		if next > 0 {
			w.Header().Set("X-Next-Page", strconv.Itoa(next))
		}
		answer(w, http.StatusOK, page)
	case "POST /notes":
		s.create(w, r, form)
	default:
		return false
	}
	return true
}

// page returns the comments of the requested page, and the number of the next one.
func (s *Server) page(r *http.Request, form func(Comment) any) (page []any, next int) {
	q := r.URL.Query()
	per, err := strconv.Atoi(q.Get("per_page"))
	if err != nil || per > 100 {
		s.problem(r, "asks for "+q.Get("per_page")+" a page")
	}
	per = min(per, s.PerPage)
	number, _ := strconv.Atoi(q.Get("page")) // The default is the first page.
	number = max(number, 1)
	page = []any{}
	for i := (number - 1) * per; i < min(number*per, len(s.comments)); i++ {
		page = append(page, form(s.comments[i]))
	}
	if number*per < len(s.comments) {
		next = number + 1
	}
	return page, next
}

func (s *Server) create(w http.ResponseWriter, r *http.Request, form func(Comment) any) {
	var sent struct{ Body string }
	s.read(r, &sent)
	s.last++
	c := Comment{ID: s.last, Author: Bot, Body: sent.Body}
	s.comments = append(s.comments, c)
	answer(w, http.StatusCreated, form(c))
}

// one edits or deletes a comment.
func (s *Server) one(w http.ResponseWriter, r *http.Request, id, edit string, form func(Comment) any) bool {
	for i, c := range s.comments {
		if strconv.FormatInt(c.ID, 10) != id {
			continue
		}
		if c.Author != Bot {
			s.problem(r, "touches the comment of someone else")
		}
		switch r.Method {
		case edit:
			var sent struct{ Body string }
			s.read(r, &sent)
			s.comments[i].Body = sent.Body
			answer(w, http.StatusOK, form(s.comments[i]))
		case http.MethodDelete:
			s.comments = append(s.comments[:i:i], s.comments[i+1:]...)
			w.WriteHeader(http.StatusNoContent)
		default:
			return false
		}
		return true
	}
	return false
}

func (s *Server) read(r *http.Request, into any) {
	if kind := r.Header.Get("Content-Type"); kind != "application/json" {
		s.problem(r, "has a body of type "+kind)
	}
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		s.problem(r, "has a bad body: "+err.Error())
	}
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	// The client may have disconnected.
	_ = json.NewEncoder(w).Encode(value)
}

func fail(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"message": message})
}
