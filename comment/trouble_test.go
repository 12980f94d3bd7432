package comment_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diffprof/diffprof/comment"
	"github.com/diffprof/diffprof/comment/commenttest"
)

// refuse answers with a status, headers and a message.
func refuse(w http.ResponseWriter, status int, message string, headers ...string) {
	for i := 0; i < len(headers); i += 2 {
		w.Header().Set(headers[i], headers[i+1])
	}
	w.WriteHeader(status)
	io.WriteString(w, `{"message":"`+message+`"}`)
}

// TestLimitsAreWaitedFor checks that a request which the service refused because of too many
// requests is repeated at the time that the service states. synctest provides the time.
func TestLimitsAreWaitedFor(t *testing.T) {
	soon := func(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).Unix(), 10) }
	for _, c := range []struct {
		name   string
		refuse func(w http.ResponseWriter)
		// times is the number of refusals. waits is the total waiting time.
		times int
		waits time.Duration
		fails string
	}{
		{name: "primary", times: 1, waits: 91 * time.Second, refuse: func(w http.ResponseWriter) {
			refuse(w, 403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", soon(90*time.Second))
		}},
		{name: "primary, by the service's clock", times: 1, waits: 11 * time.Second, refuse: func(w http.ResponseWriter) {
			ahead := time.Now().Add(time.Hour)
			refuse(w, 429, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "Date", ahead.UTC().Format(http.TimeFormat), "X-RateLimit-Reset", strconv.FormatInt(ahead.Unix()+10, 10))
		}},
		{name: "primary that has ended", times: 1, waits: time.Second, refuse: func(w http.ResponseWriter) {
			refuse(w, 403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", soon(-time.Hour))
		}},
		{name: "primary, too long", times: 1, refuse: func(w http.ResponseWriter) {
			refuse(w, 403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", soon(47*time.Minute))
		}, fails: "API rate limit exceeded (403); the next attempt would be in 47m1s, and --patience allows less"},
		{name: "secondary", times: 2, waits: 60 * time.Second, refuse: func(w http.ResponseWriter) {
			refuse(w, 403, "You have exceeded a secondary rate limit", "Retry-After", "30")
		}},
		{name: "secondary that does not say how long", times: 2, waits: 3 * time.Minute, refuse: func(w http.ResponseWriter) {
			refuse(w, 403, "You have exceeded a secondary rate limit", "X-RateLimit-Remaining", "4000", "X-RateLimit-Reset", soon(time.Hour))
		}},
		{name: "a limit that does not end", times: 99, waits: 3 * time.Minute, refuse: func(w http.ResponseWriter) {
			refuse(w, 429, "Slow down")
		}, fails: "Slow down (429); the next attempt would be in 4m0s, and --patience allows less"},
		{name: "GitLab's", times: 1, waits: 20 * time.Second, refuse: func(w http.ResponseWriter) {
			refuse(w, 429, "Retry later", "Retry-After", "20", "RateLimit-Reset", soon(time.Hour))
		}},
		{name: "GitLab's by its reset", times: 1, waits: 31 * time.Second, refuse: func(w http.ResponseWriter) {
			refuse(w, 429, "Retry later", "RateLimit-Reset", soon(30*time.Second))
		}},
		{name: "by a date", times: 1, waits: 40 * time.Second, refuse: func(w http.ResponseWriter) {
			refuse(w, 503, "Down for a moment", "Retry-After", time.Now().Add(40*time.Second).UTC().Format(http.TimeFormat))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachService(t, func(t *testing.T, change comment.Change) {
				synctest.Test(t, func(t *testing.T) {
					s := commenttest.New()
					left := c.times
					// Posting is refused: a limit means that nothing was posted.
					s.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
						if r.Method != http.MethodPost || strings.HasSuffix(r.URL.Path, "graphql") || left == 0 {
							return false
						}
						left--
						c.refuse(w)
						return true
					}
					began := time.Now()
					_, err := open(change, wire{server: s}).Put(t.Context(), "Energy", "one", false)
					if waited := time.Since(began); waited != c.waits {
						t.Errorf("waited %v, want %v", waited, c.waits)
					}
					if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.HasSuffix(err.Error(), c.fails)) {
						t.Errorf("%v, want %q", err, c.fails)
					}
					if posted := len(bodies(t, s)); posted != 1 && c.fails == "" {
						t.Errorf("%d comments", posted)
					}
				})
			})
		})
	}
}

// TestLimitsOfQueriesAreWaitedFor checks the limits of GraphQL, which has status 200 and a type.
func TestLimitsOfQueriesAreWaitedFor(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		headers      func() []string
		times        int
		waits        time.Duration
		fails        string
	}{
		{"primary", `{"data":null,"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded for user ID 1."}]}`,
			func() []string {
				return []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", strconv.FormatInt(time.Now().Add(90*time.Second).Unix(), 10)}
			}, 1, 91 * time.Second, ""},
		{"without a time", `{"errors":[{"type":"SOMETHING","message":"a"},{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`,
			func() []string { return nil }, 1, time.Minute, ""},
		{"secondary", `{"errors":[{"message":"You have exceeded a secondary rate limit."}]}`,
			func() []string { return []string{"Retry-After", "30"} }, 2, time.Minute, ""},
		{"too long", `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`,
			func() []string {
				return []string{"X-RateLimit-Reset", strconv.FormatInt(time.Now().Add(47*time.Minute).Unix(), 10)}
			}, 1, 0, "API rate limit exceeded (200); the next attempt would be in 47m1s, and --patience allows less"},
		{"another error", `{"errors":[{"type":"FORBIDDEN","message":"Resource not accessible"}]}`, func() []string { return nil }, 1, 0, "graphql: Resource not accessible"},
		{"no JSON of GraphQL", `{"errors":"RATE_LIMITED"}`, func() []string { return nil }, 1, 0, "check --api: json: cannot unmarshal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, left := commenttest.New(), c.times
				s.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
					if !strings.HasSuffix(r.URL.Path, "graphql") || left == 0 {
						return false
					}
					left--
					headers := c.headers()
					for i := 0; i < len(headers); i += 2 {
						w.Header().Set(headers[i], headers[i+1])
					}
					io.WriteString(w, c.answer)
					return true
				}
				began := time.Now()
				_, err := open(changes[0], wire{server: s}).Put(t.Context(), "Energy", "one", false)
				if waited := time.Since(began); waited != c.waits {
					t.Errorf("waited %v, want %v", waited, c.waits)
				}
				if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
					t.Errorf("%v, want %q", err, c.fails)
				}
				if posted := len(bodies(t, s)); c.fails == "" && posted != 1 || c.fails != "" && posted != 0 {
					t.Errorf("%d comments", posted)
				}
			})
		})
	}
}

// TestTroubleLeavesOneComment makes each request fail, in each way and up to twice. At the end
// there is one comment with the new text, and the comments of others.
func TestTroubleLeavesOneComment(t *testing.T) {
	eachService(t, func(t *testing.T, change comment.Change) {
		for _, have := range []int{0, 1, 2} {
			for _, way := range []string{"before", "after", "502", "502 after all"} {
				for at := 1; at <= 8; at++ {
					for times := 1; times <= 2; times++ {
						synctest.Test(t, func(t *testing.T) {
							all := []commenttest.Comment{{Author: commenttest.Person, Body: "Nice."}}
							for range have {
								all = append(all, commenttest.Comment{Author: commenttest.Bot, Body: comment.Marker("Energy") + "\none"})
							}
							s, n := commenttest.New(all...), 0
							faulty := func() bool { return n >= at && n < at+times }
							s.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
								if way == "502" && faulty() {
									refuse(w, 502, "Server Error")
									return true
								}
								return false
							}
							by := wire{server: s, breaks: func(*http.Request) (bool, bool) {
								n++
								return way == "before" && faulty(), way == "after" && faulty()
							}}
							carrier := http.RoundTripper(by)
							if way == "502 after all" {
								carrier = spoilt{by, faulty}
							}
							if _, err := open(change, carrier).Put(t.Context(), "Energy", "two", false); err != nil {
								t.Fatalf("%s at request %d: %v", way, at, err)
							}
							posts := strings.Count(strings.Join(s.Requests(), "\n"), "POST") - strings.Count(strings.Join(s.Requests(), "\n"), "POST /api/graphql")
							if strings.Contains(way, "after") && posts != max(0, 1-have) {
								t.Errorf("%s at request %d of %d, %d comments before: posted %d times", way, at, times, have, posts)
							}
							if own := bodies(t, s); len(own) != 1 || own[0] != comment.Marker("Energy")+"\ntwo" || len(s.Comments()) != 2 {
								t.Errorf("%s at request %d of %d, %d comments before: left %q\n%s", way, at, times, have, own, strings.Join(s.Requests(), "\n"))
							}
						})
					}
				}
			}
		}
	})
}

// spoilt replaces answers by errors of the server, after the server executed the request.
type spoilt struct {
	wire
	faulty func() bool
}

// RoundTrip implements http.RoundTripper.
func (s spoilt) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := s.wire.RoundTrip(r)
	if err == nil && s.faulty() {
		answer.StatusCode, answer.Body = 502, http.NoBody
	}
	return answer, err
}

// TestGivesUp checks that a service which stays down is an error within the time for waiting, and
// that nothing is posted twice.
func TestGivesUp(t *testing.T) {
	eachService(t, func(t *testing.T, change comment.Change) {
		synctest.Test(t, func(t *testing.T) {
			s := commenttest.New()
			posts := 0
			s.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
				if r.Method != http.MethodPost || strings.HasSuffix(r.URL.Path, "graphql") {
					return false
				}
				posts++
				refuse(w, 500, "oops")
				return true
			}
			began := time.Now()
			_, err := open(change, wire{server: s}).Put(t.Context(), "Energy", "one", false)
			if err == nil || !strings.HasSuffix(err.Error(), "oops (500)") || posts != 5 || time.Since(began) != 31*time.Second {
				t.Errorf("%v after %d posts and %v", err, posts, time.Since(began))
			}
		})
	})
}

// TestDeletedCommentsAreNoError checks that another program may delete a comment just before it is
// edited or removed. Every other refusal is an error.
func TestDeletedCommentsAreNoError(t *testing.T) {
	own := commenttest.Comment{Author: commenttest.Bot, Body: comment.Marker("Energy") + "\none"}
	eachService(t, func(t *testing.T, change comment.Change) {
		for status, fine := range map[int]bool{http.StatusNotFound: true, http.StatusGone: true, http.StatusForbidden: false, http.StatusConflict: false} {
			for _, methods := range []string{"PATCH PUT", "DELETE"} {
				s := commenttest.New(own, own)
				refused := false
				s.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
					if refused || !strings.Contains(methods, r.Method) {
						return false
					}
					refused = true
					refuse(w, status, "no")
					return true
				}
				_, err := open(change, wire{server: s}).Put(t.Context(), "Energy", "two", false)
				if (err == nil) != fine || !refused {
					t.Errorf("%d for %s: error %v, want none: %v", status, methods, err, fine)
				}
				if left := bodies(t, s); fine && left[0] != comment.Marker("Energy")+"\ntwo" {
					t.Errorf("%d for %s: left %q", status, methods, left)
				}
			}
		}
	})
}

// TestErrorsHaveAdvice also checks that no error contains the token.
func TestErrorsHaveAdvice(t *testing.T) {
	const github, gitlab = comment.GitHub, comment.GitLab
	for _, c := range []struct {
		service comment.Service
		fork    bool
		write   bool // whether it refuses only writing
		status  int
		message string
		want    string
	}{
		{github, false, false, 401, "Bad credentials", "Bad credentials (401): the token in GITHUB_TOKEN or GH_TOKEN is not valid here, or has expired"},
		{github, false, true, 403, "Resource not accessible by integration", "Resource not accessible by integration (403): the token cannot write: give the job permissions: pull-requests: write"},
		{github, true, true, 403, "Resource not accessible by integration", "Resource not accessible by integration (403): the token for a pull request from a fork is read-only: comment from a workflow on workflow_run (see docs/ci.md), or on pull_request_target without building the fork's code"},
		{github, true, true, 403, "Unable to create comment because issue is locked.", "(403): the conversation is locked: unlock it, or use a token with write access to the repository"},
		{github, false, false, 404, "Not Found", "Not Found (404): the pull request does not exist, or the token cannot read it: check --repo and --pull-request, and give the job permissions: pull-requests: write"},
		{github, false, true, 422, "Validation Failed\",\"errors\":[{\"message\":\"body is too long (maximum is 65536 characters)\"}],\"x\":\"", "Validation Failed: body is too long (maximum is 65536 characters) (422)"},
		{github, false, true, 418, "", "I'm a teapot (418)"},
		{gitlab, false, false, 401, "401 Unauthorized", "401 Unauthorized (401): the token in GITLAB_TOKEN is not valid here, or has expired; a token of the project with the role Developer and the scope api can write comments"},
		{gitlab, false, true, 403, "\",\"error\":\"insufficient_scope", ": insufficient_scope (403): the token lacks the scope api"},
		{gitlab, false, true, 403, "403 Forbidden", "403 Forbidden (403): the token cannot write here; a token of the project with the role Developer and the scope api can write comments; in a locked discussion, it must be a member's"},
		{gitlab, false, false, 404, "404 Not found", "404 Not found (404): the merge request does not exist, or the token cannot read it: check --repo and --pull-request; a token of the project with the role Developer and the scope api can write comments"},
		{gitlab, false, true, 400, "echo " + commenttest.Token + "\\n\\u202e" + strings.Repeat("x", 400), "echo [token]  " + strings.Repeat("x", 286) + "… (400)"},
	} {
		s := commenttest.New()
		s.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if c.write && (r.Method == http.MethodGet || strings.HasSuffix(r.URL.Path, "graphql")) {
				return false
			}
			refuse(w, c.status, c.message)
			return true
		}
		change := changes[0]
		if c.service == gitlab {
			change = changes[1]
		}
		change.Fork = c.fork
		_, err := open(change, wire{server: s}).Put(t.Context(), "Energy", "one", false)
		if err == nil || !strings.HasSuffix(err.Error(), c.want) || strings.Contains(err.Error(), commenttest.Token) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %d: %v\nwant %s", c.service, c.status, err, c.want)
		}
		if own := bodies(t, s); len(own) > 0 {
			t.Errorf("%s %d: posted %q", c.service, c.status, own)
		}
	}
}

// TestAnswersThatAreNone has answers that are not from the API: pages of a proxy, and lists without
// an end.
func TestAnswersThatAreNone(t *testing.T) {
	eachService(t, func(t *testing.T, change comment.Change) {
		for text, want := range map[string]string{
			"<html>Sign in</html>": "check --api",
			"{}":                   "does not identify the user of the token; check --api",
		} {
			s := commenttest.New()
			s.Fault = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
				io.WriteString(w, text)
				return true
			}
			if _, err := open(change, wire{server: s}).Put(t.Context(), "Energy", "one", false); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%.30q: %v, want %q", text, err, want)
			}
		}
		s := commenttest.New()
		s.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if !strings.HasSuffix(r.URL.Path, "/comments") && !strings.HasSuffix(r.URL.Path, "/notes") {
				return false
			}
			w.Header().Set("Link", `<https://forge.test/api/v3/again/comments>; rel="next"`)
			w.Header().Set("X-Next-Page", "2")
			io.WriteString(w, "[]")
			return true
		}
		if _, err := open(change, wire{server: s}).Put(t.Context(), "Energy", "one", false); err == nil || !strings.HasSuffix(err.Error(), "there are more than 20000 comments") {
			t.Errorf("%v", err)
		}
	})
}

// endless is a body without an end.
type endless struct{}

// RoundTrip implements http.RoundTripper.
func (endless) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(endless{})}, nil
}

// Read implements io.Reader.
func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestAnswersHaveBounds(t *testing.T) {
	if _, err := open(changes[0], endless{}).Put(t.Context(), "Energy", "one", false); err == nil || !strings.HasSuffix(err.Error(), "larger than 64 MiB") {
		t.Error(err)
	}
}

// TestTokenGoesToItsHostOnly checks that redirects and links never send the token to another host.
func TestTokenGoesToItsHostOnly(t *testing.T) {
	eachService(t, func(t *testing.T, change comment.Change) {
		elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			t.Errorf("%s %s got there, with %q", r.Method, r.URL, r.Header.Get("Authorization"))
		}))
		defer elsewhere.Close()
		for _, c := range []struct {
			status   int
			location string
			want     string
		}{
			{302, elsewhere.URL, "redirects to another host, "},
			{307, elsewhere.URL, "redirects to another host, "},
			{0, elsewhere.URL, "on another host, "},
			{301, "/moved", "the repository has moved: give its new name with --repo"},
			{307, "/loop", "too many redirects"},
		} {
			if c.status == 0 && change.Service == comment.GitLab {
				continue // It has no links.
			}
			s := commenttest.New()
			s.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
				switch {
				case c.status == 0 && strings.HasSuffix(r.URL.Path, "/comments"):
					w.Header().Set("Link", "<"+c.location+`/next>; rel="next"`)
					io.WriteString(w, "[]")
				case c.status != 0 && (r.Method == http.MethodPost && !strings.HasSuffix(r.URL.Path, "graphql") || r.URL.Path == "/loop"):
					w.Header().Set("Location", c.location)
					w.WriteHeader(c.status)
				default:
					return false
				}
				return true
			}
			here := httptest.NewServer(s)
			at := change
			at.API = here.URL + at.API[len("https://forge.test"):]
			_, err := comment.Open(at, comment.Options{Token: commenttest.Token, Version: "1"}).Put(t.Context(), "Energy", "one", false)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "next try") {
				t.Errorf("%d to %s: %v, want %q", c.status, c.location, err, c.want)
			}
			here.Close()
		}
	})
}
