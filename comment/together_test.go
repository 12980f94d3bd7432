package comment_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/comment"
	"github.com/diffprof/diffprof/comment/commenttest"
)

// A bot puts a comment, one request at a time, when the test permits it.
type bot struct {
	wire
	// requests receives the bot's next request, and is closed when the bot ends. may permits the
	// request.
	requests chan struct{}
	may      chan bool
	err      error
}

// RoundTrip implements http.RoundTripper. Only requests for comments affect other bots.
func (b *bot) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.URL.Path, "/comments") || strings.Contains(r.URL.Path, "/notes") {
		b.requests <- struct{}{}
		if !<-b.may {
			return nil, errBroken // The bot was killed, so it sends nothing more.
		}
	}
	return b.wire.RoundTrip(r)
}

// together runs some bots that each put a comment, with the bot's number as the text. turn selects
// the next of the bots with a waiting request. killed has, for a bot, the number of the request
// before which it is killed, from 1.
func together(t *testing.T, change comment.Change, s *commenttest.Server, bots int, killed map[int]int, turn func(waiting []int) int) {
	t.Helper()
	all := make([]*bot, bots)
	waiting := []int{}
	next := func(i int) {
		if _, more := <-all[i].requests; more {
			waiting = append(waiting, i)
			slices.Sort(waiting)
		}
	}
	for i := range all {
		b := &bot{wire: wire{server: s}, requests: make(chan struct{}), may: make(chan bool)}
		all[i] = b
		go func() {
			defer close(b.requests)
			c := comment.Open(change, comment.Options{Token: commenttest.Token, Version: "1", Transport: b})
			_, b.err = c.Put(t.Context(), "Energy", fmt.Sprint(i), false)
		}()
		next(i)
	}
	sent := make([]int, bots)
	for len(waiting) > 0 {
		i := turn(waiting)
		waiting = slices.DeleteFunc(waiting, func(w int) bool { return w == i })
		sent[i]++
		all[i].may <- killed[i] != sent[i]
		next(i)
	}
	for i, b := range all {
		if killed[i] == 0 && b.err != nil {
			t.Errorf("bot %d: %v", i, b.err)
		}
	}
}

// schedules calls a function with each order of turns. turn is the parameter of together. It
// returns the number of orders.
func schedules(run func(turn func([]int) int)) int {
	type choice struct{ taken, choices int }
	var path []choice
	for n := 1; ; n++ {
		depth := 0
		run(func(waiting []int) int {
			if depth == len(path) {
				path = append(path, choice{0, len(waiting)})
			}
			depth++
			return waiting[path[depth-1].taken]
		})
		path = path[:depth]
		for len(path) > 0 && path[len(path)-1].taken == path[len(path)-1].choices-1 {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			return n
		}
		path[len(path)-1].taken++
	}
}

// settled checks that exactly one comment of the bots remains, with the text of one of them, that
// it is the oldest one, and that the person's comment is unchanged.
func settled(t *testing.T, s *commenttest.Server, texts ...string) {
	t.Helper()
	own := bodies(t, s)
	all := s.Comments()
	if len(own) != 1 || len(all) != 2 || all[0].Body != "Nice." || all[1].ID != 102 || !slices.Contains(texts, strings.TrimPrefix(own[0], comment.Marker("Energy")+"\n")) {
		t.Fatalf("left %+v after\n%s", all, strings.Join(s.Requests(), "\n"))
	}
}

// before returns a server with n comments of the bot. All but the first are duplicates.
func before(n int) *commenttest.Server {
	all := []commenttest.Comment{{Author: commenttest.Person, Body: "Nice."}}
	for range n {
		all = append(all, commenttest.Comment{Author: commenttest.Bot, Body: comment.Marker("Energy") + "\nbefore"})
	}
	return commenttest.New(all...)
}

// TestTwoAtOnce tries all orders in which the requests of two bots may arrive.
func TestTwoAtOnce(t *testing.T) {
	eachService(t, func(t *testing.T, change comment.Change) {
		for have := range 3 {
			n := schedules(func(turn func([]int) int) {
				s := before(have)
				together(t, change, s, 2, nil, turn)
				settled(t, s, "0", "1")
			})
			if n < 6 {
				t.Errorf("%d comments before: %d orders only", have, n)
			}
			t.Logf("%d comments before: %d orders", have, n)
		}
	})
}

// TestTheNextOneMends kills one of two bots at any request. After the next bot, exactly one comment
// remains.
func TestTheNextOneMends(t *testing.T) {
	eachService(t, func(t *testing.T, change comment.Change) {
		for have := range 3 {
			for at := 1; at <= 5; at++ {
				schedules(func(turn func([]int) int) {
					s := before(have)
					together(t, change, s, 2, map[int]int{1: at}, turn)
					put(t, open(change, wire{server: s}), "Energy", "next")
					settled(t, s, "next")
				})
			}
		}
	})
}

// TestManyAtOnce runs five bots in random orders from a seed.
func TestManyAtOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		s := before(random.IntN(3))
		together(t, changes[0], s, 5, nil, func(waiting []int) int { return waiting[random.IntN(len(waiting))] })
		settled(t, s, "0", "1", "2", "3", "4")
	}
}
