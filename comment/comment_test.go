package comment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/comment"
	"github.com/diffprof/diffprof/comment/commenttest"
	"github.com/diffprof/diffprof/report/markdown"
)

// A wire passes requests to a server without a network.
type wire struct {
	server http.Handler
	// breaks reports whether the connection breaks before the request arrives, or after.
	breaks func(r *http.Request) (before, after bool)
}

var errBroken = errors.New("connection reset by peer")

// RoundTrip implements http.RoundTripper.
func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	before, after := false, false
	if w.breaks != nil {
		before, after = w.breaks(r)
	}
	if before {
		return nil, errBroken
	}
	if r.Body == nil {
		r.Body = io.NopCloser(bytes.NewReader(nil))
	}
	answer := httptest.NewRecorder()
	w.server.ServeHTTP(answer, r)
	if after {
		return nil, errBroken
	}
	return answer.Result(), nil
}

// changes are the pull request and the merge request on a commenttest.Server.
var changes = []comment.Change{
	{Service: comment.GitHub, API: "https://forge.test/api/v3", Repo: "acme/app", Number: 5},
	{Service: comment.GitLab, API: "https://forge.test/api/v4", Repo: "acme/app", Number: 5},
}

func open(c comment.Change, by http.RoundTripper) *comment.Conversation {
	return comment.Open(c, comment.Options{Token: commenttest.Token, Version: "1.2.3", Patience: 5 * time.Minute, Transport: by})
}

// eachService runs a test for both services.
func eachService(t *testing.T, test func(t *testing.T, c comment.Change)) {
	for _, c := range changes {
		t.Run(string(c.Service), func(t *testing.T) { test(t, c) })
	}
}

// put puts a comment on the change. An error fails the test.
func put(t *testing.T, c *comment.Conversation, name, text string) comment.Outcome {
	t.Helper()
	done, err := c.Put(t.Context(), name, text, false)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// bodies returns the bodies of the bot's comments. It fails the test for requests that the APIs do
// not allow.
func bodies(t *testing.T, s *commenttest.Server) []string {
	t.Helper()
	for _, p := range s.Problems() {
		t.Errorf("a request %s", p)
	}
	var own []string
	for _, c := range s.Comments() {
		if c.Author == commenttest.Bot {
			own = append(own, c.Body)
		}
	}
	return own
}

func TestPutPostsOnceAndEditsFromThenOn(t *testing.T) {
	requests := map[comment.Service][]string{
		comment.GitHub: {
			"POST /api/graphql", "GET /api/v3/repos/acme/app/pulls/5",
			"GET /api/v3/repos/acme/app/issues/5/comments?per_page=100", "POST /api/v3/repos/acme/app/issues/5/comments", "GET /api/v3/repos/acme/app/issues/5/comments?per_page=100",
			"PATCH /api/v3/repos/acme/app/issues/comments/102",
		},
		comment.GitLab: {
			"GET /api/v4/user", "GET /api/v4/projects/acme%2Fapp/merge_requests/5",
			"GET /api/v4/projects/acme%2Fapp/merge_requests/5/notes?order_by=created_at&page=1&per_page=100&sort=asc", "POST /api/v4/projects/acme%2Fapp/merge_requests/5/notes", "GET /api/v4/projects/acme%2Fapp/merge_requests/5/notes?order_by=created_at&page=1&per_page=100&sort=asc",
			"PUT /api/v4/projects/acme%2Fapp/merge_requests/5/notes/102",
		},
	}
	urls := map[comment.Service]string{
		comment.GitHub: "https://github.test/acme/app/pull/5#issuecomment-102",
		comment.GitLab: "https://gitlab.test/acme/app/-/merge_requests/5#note_102",
	}
	eachService(t, func(t *testing.T, change comment.Change) {
		s := commenttest.New(commenttest.Comment{Author: commenttest.Person, Body: "Nice."})
		c, want, seen := open(change, wire{server: s}), requests[change.Service], 0
		for _, step := range []struct {
			text, did string
			requests  []string
		}{
			{"one", "created", want[:5]},
			{"one", "left as it was", want[:3]},
			{"two", "updated", append(slices.Clone(want[:3]), want[5])},
		} {
			done := put(t, c, "Energy", step.text)
			if string(done.Action) != step.did || done.URL != urls[change.Service] || done.Removed != 0 {
				t.Errorf("%q: %+v, want %s", step.text, done, step.did)
			}
			if got := s.Requests()[seen:]; !slices.Equal(got, step.requests) {
				t.Errorf("%q sent\n%s\nwant\n%s", step.text, strings.Join(got, "\n"), strings.Join(step.requests, "\n"))
			}
			seen = len(s.Requests())
			if got := bodies(t, s); !slices.Equal(got, []string{"<!-- diffprof: Energy -->\n" + step.text}) {
				t.Errorf("%q left %q", step.text, got)
			}
		}
	})
}

// TestOthersAreLeftAlone checks that other comments stay: comments with the marker from another
// author, comments with another name, and comments that quote the marker.
func TestOthersAreLeftAlone(t *testing.T) {
	eachService(t, func(t *testing.T, change comment.Change) {
		others := []commenttest.Comment{
			{Author: commenttest.Person, Body: comment.Marker("Energy") + "\npasted"},
			{Author: commenttest.Bot, Body: comment.Marker("Other") + "\nanother job's"},
			{Author: commenttest.Bot, Body: "I quote:\n" + comment.Marker("Energy")},
			{Author: commenttest.Bot, Body: "Merged.", System: true},
		}
		s := commenttest.New(others...)
		c := open(change, wire{server: s})
		put(t, c, "Energy", "one")
		put(t, c, "Energy", "two")
		bodies(t, s)
		all := s.Comments()
		if len(all) != len(others)+1 || all[4].Body != comment.Marker("Energy")+"\ntwo" {
			t.Fatalf("left %+v", all)
		}
		for i, other := range others {
			if all[i].Body != other.Body {
				t.Errorf("changed %q to %q", other.Body, all[i].Body)
			}
		}
	})
}

func TestDoublesAreRemoved(t *testing.T) {
	eachService(t, func(t *testing.T, change comment.Change) {
		mine := commenttest.Comment{Author: commenttest.Bot, Body: comment.Marker("Energy") + "\r\none\r\n"}
		s := commenttest.New(mine, mine, mine)
		if done := put(t, open(change, wire{server: s}), "Energy", "one"); done.Action != comment.Unchanged || done.Removed != 2 {
			t.Errorf("%+v", done)
		}
		if left := s.Comments(); len(left) != 1 || left[0].ID != 101 {
			t.Errorf("left %+v", left)
		}
	})
}

// TestEveryPageIsRead has the bot's comment as the last of 251.
func TestEveryPageIsRead(t *testing.T) {
	eachService(t, func(t *testing.T, change comment.Change) {
		var all []commenttest.Comment
		for i := range 250 {
			all = append(all, commenttest.Comment{Author: commenttest.Person, Body: fmt.Sprint(i)})
		}
		s := commenttest.New(append(all, commenttest.Comment{Author: commenttest.Bot, Body: comment.Marker("Energy") + "\none"})...)
		if done := put(t, open(change, wire{server: s}), "Energy", "two"); done.Action != comment.Updated || len(bodies(t, s)) != 1 {
			t.Errorf("%+v, and %d comments of the bot", done, len(bodies(t, s)))
		}
		if got := len(s.Requests()); got != 6 {
			t.Errorf("%d requests:\n%s", got, strings.Join(s.Requests(), "\n"))
		}
	})
}

func TestDryOnlyReads(t *testing.T) {
	eachService(t, func(t *testing.T, change comment.Change) {
		mine := commenttest.Comment{Author: commenttest.Bot, Body: comment.Marker("Energy") + "\none"}
		for _, have := range [][]commenttest.Comment{nil, {mine}, {mine, mine}} {
			s := commenttest.New(have...)
			done, err := open(change, wire{server: s}).Put(t.Context(), "Energy", "two", true)
			if err != nil {
				t.Fatal(err)
			}
			if want := []comment.Action{comment.Created, comment.Updated, comment.Updated}[len(have)]; done.Action != want || done.Removed != max(0, len(have)-1) {
				t.Errorf("%d comments: %+v", len(have), done)
			}
			for _, r := range s.Requests() {
				if !strings.HasPrefix(r, "GET ") && r != "POST /api/graphql" {
					t.Errorf("sent %s", r)
				}
			}
		}
	})
}

func TestTextsThatNoServiceTakes(t *testing.T) {
	most := map[comment.Service]int{comment.GitHub: 65_536, comment.GitLab: 1_000_000}
	eachService(t, func(t *testing.T, change comment.Change) {
		room := most[change.Service] - len(comment.Marker("Energy")) - 1
		for text, want := range map[string]string{
			"":                                 "the comment is empty",
			comment.Marker("x") + "\n \n":      "the comment is empty",
			"\xff":                             "the comment is not text in UTF-8",
			strings.Repeat("é", room+1):        fmt.Sprintf("the comment has %d characters", most[change.Service]+1),
			strings.Repeat("é", room):          "",
			"<!-- diffprof: x -->\r\nreplaced": "",
		} {
			s := commenttest.New()
			_, err := open(change, wire{server: s}).Put(t.Context(), "Energy", text, false)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%.40q: %v, want %q", text, err, want)
			}
			if sent := len(s.Requests()); want != "" && sent > 0 {
				t.Errorf("%.40q: sent %d requests", text, sent)
			}
			if own := bodies(t, s); want == "" && (len(own) != 1 || strings.Count(own[0], "<!--") != 1) {
				t.Errorf("%.40q: posted %.60q", text, own)
			}
		}
	})
}

func TestMarkersAreCommentsOfHTML(t *testing.T) {
	if comment.Marker(comment.Plain) != markdown.Marker {
		t.Errorf("a comparison begins with %s, not %s", markdown.Marker, comment.Marker(comment.Plain))
	}
	seen := map[string]string{}
	for _, name := range []string{"", "a", "a b", "a / b", "a-->b", "---", "-", "--", "a\nb", "größe", "a%2Fb", "<!--", "-%2D"} {
		m := comment.Marker(name)
		inside := strings.TrimSuffix(strings.TrimPrefix(m, "<!--"), "-->")
		if len(inside) != len(m)-7 || strings.Contains(inside, "--") || strings.ContainsAny(inside, "<>\n") {
			t.Errorf("%q has the marker %s", name, m)
		}
		if other, ok := seen[m]; ok {
			t.Errorf("%q and %q have the marker %s", name, other, m)
		}
		seen[m] = name
	}
}

func TestStopsWhenCancelled(t *testing.T) {
	eachService(t, func(t *testing.T, change comment.Change) {
		ctx, cancel := context.WithCancel(t.Context())
		s := commenttest.New()
		s.Fault = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
			cancel()
			return true
		}
		if _, err := open(change, wire{server: s}).Put(ctx, "Energy", "one", false); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if n := len(s.Requests()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}
