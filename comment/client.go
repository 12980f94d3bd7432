package comment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Limits of requests.
const (
	maxTries  = 5                // for one request
	maxTime   = 30 * time.Second // for one try
	maxAnswer = 64 << 20         // in bytes
	maxPages  = 200              // of one list
	// defaultPause is the pause if a service does not state one.
	defaultPause = time.Minute
)

// A client sends requests with a token. It repeats failed requests for a limited time.
type client struct {
	http  http.Client
	token string
	// header is sent with each request.
	header http.Header

	mu sync.Mutex
	// patience is the time left for waiting.
	patience time.Duration
}

func newClient(o Options, header http.Header) *client {
	header.Set("Authorization", "Bearer "+o.Token)
	header.Set("User-Agent", "diffprof/"+o.Version)
	c := &client{token: o.Token, header: header, patience: o.Patience}
	c.http = http.Client{Transport: o.Transport, Timeout: maxTime, CheckRedirect: redirect}
	return c
}

// redirect follows a redirect if the request stays unchanged and the new address may receive the
// token.
func redirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case next.URL.Scheme != first.URL.Scheme || next.URL.Host != first.URL.Host:
		return &movedError{fmt.Sprintf("%s redirects to another host, %s; the token is not sent there: give the address with --api if it is correct", first.URL.Host, next.URL.Host)}
	case next.Method != first.Method:
		return &movedError{"the repository has moved: give its new name with --repo"}
	case len(via) > 3:
		return &movedError{"too many redirects"}
	}
	return nil
}

// A movedError is a redirect that is not followed. Repeating the request would not help.
type movedError struct{ text string }

// Error implements error.
func (e *movedError) Error() string { return e.text }

// A request is a call of the service's API.
type request struct {
	method, address string
	// body is sent as JSON, or nil for none.
	body any
	// once forbids repeating the request if the service may have executed it.
	once bool
	// query is set for a query of GraphQL, which reports its errors with status 200.
	query bool
}

// A failure is a request without a successful answer.
type failure struct {
	request
	// status is the status of the answer, or 0 without an answer. message is the text of the
	// answer.
	status  int
	message string
	// limited is set if the service refused because of too many requests. pause is the requested
	// pause, or 0 if the service does not state one.
	limited bool
	pause   time.Duration
	err     error
}

// Error implements error.
func (f *failure) Error() string {
	text := f.method + " " + f.address + ": "
	switch {
	case f.status == 0:
		return text + f.message
	case f.message == "":
		return text + http.StatusText(f.status) + " (" + strconv.Itoa(f.status) + ")"
	}
	return text + f.message + " (" + strconv.Itoa(f.status) + ")"
}

// Unwrap returns the network error, or nil if the service answered.
func (f *failure) Unwrap() error { return f.err }

// maybeDone returns err if the service may have executed the request. Otherwise it returns nil.
func maybeDone(err error) error {
	var f *failure
	if errors.As(err, &f) && (f.status == 0 || f.status >= 500) {
		return err
	}
	return nil
}

// isNotFound reports whether an error means that the object does not exist.
func isNotFound(err error) bool {
	var f *failure
	return errors.As(err, &f) && (f.status == http.StatusNotFound || f.status == http.StatusGone)
}

// do sends a request and decodes the answer's JSON into a value, or drops it if into is nil.
func (c *client) do(ctx context.Context, r request, into any) (http.Header, error) {
	for try := 0; ; try++ {
		header, err := c.try(ctx, r, into)
		if stopped := ctx.Err(); stopped != nil {
			return nil, stopped
		}
		var f *failure
		if !errors.As(err, &f) || try == maxTries-1 {
			return header, err
		}
		pause := time.Second << try
		switch {
		case f.limited:
			// If the service states no pause, each pause is longer than the previous one.
			if pause = f.pause; pause == 0 {
				pause = defaultPause << try
			}
		case maybeDone(err) == nil || r.once:
			return nil, err
		}
		if err := c.wait(ctx, pause, err); err != nil {
			return nil, err
		}
	}
}

// wait pauses after an error. If the pause would be too long, it returns the error.
func (c *client) wait(ctx context.Context, pause time.Duration, because error) error {
	c.mu.Lock()
	left := c.patience - pause
	if left >= 0 {
		c.patience = left
	}
	c.mu.Unlock()
	if left < 0 {
		return fmt.Errorf("%w; the next attempt would be in %v, and --patience allows less", because, pause.Round(time.Second))
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// try sends a request once.
func (c *client) try(ctx context.Context, r request, into any) (http.Header, error) {
	var body io.Reader
	if r.body != nil {
		data, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	made, err := http.NewRequestWithContext(ctx, r.method, r.address, body)
	if err != nil {
		return nil, err
	}
	made.Header = c.header.Clone()
	if body != nil {
		made.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.http.Do(made)
	if err != nil {
		return nil, c.broken(r, err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, c.broken(r, err)
	case answer.StatusCode/100 != 2:
		return nil, c.refused(r, answer, data)
	case r.query && isLimited(data):
		return nil, c.refused(r, answer, data)
	case len(data) > maxAnswer:
		return nil, fmt.Errorf("%s %s: the answer is larger than %d MiB", r.method, r.address, maxAnswer>>20)
	case into != nil:
		if err := json.Unmarshal(data, into); err != nil {
			return nil, fmt.Errorf("%s %s: unexpected answer of the API; check --api: %w", r.method, r.address, err)
		}
	}
	return answer.Header, nil
}

// broken returns the error of a request that got no answer.
func (c *client) broken(r request, err error) error {
	var moved *movedError
	if errors.As(err, &moved) {
		return moved
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	return &failure{request: r, message: c.clean(err.Error()), err: err}
}

// refused returns the error for an answer with an error status.
func (c *client) refused(r request, answer *http.Response, data []byte) error {
	f := &failure{request: r, status: answer.StatusCode, message: c.clean(message(data))}
	secondary := strings.Contains(strings.ToLower(f.message), "secondary rate limit")
	spent := answer.Header.Get("X-RateLimit-Remaining") == "0"
	after := answer.Header.Get("Retry-After")
	switch f.status {
	case http.StatusOK: // GraphQL reports an error with this status.
		f.limited = true
	case http.StatusTooManyRequests:
		f.limited = true
	case http.StatusForbidden:
		f.limited = secondary || spent || after != ""
	case http.StatusServiceUnavailable:
		f.limited = after != ""
	}
	if !f.limited {
		return f
	}
	// The pause is relative to the service's clock, because this machine's clock may be wrong.
	now, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	reset := answer.Header.Get("X-RateLimit-Reset")
	if reset == "" {
		reset = answer.Header.Get("RateLimit-Reset")
	}
	seconds, inSeconds := strconv.ParseInt(after, 10, 32)
	moment, asDate := http.ParseTime(after)
	until, atReset := strconv.ParseInt(reset, 10, 64)
	switch {
	case inSeconds == nil:
		f.pause = max(time.Duration(seconds)*time.Second, time.Second)
	case asDate == nil:
		f.pause = max(moment.Sub(now), time.Second)
	case atReset == nil && !secondary:
		f.pause = max(time.Unix(until, 0).Sub(now), 0) + time.Second
	}
	return f
}

// isLimited reports whether an answer of GraphQL refuses a query because of too many requests.
func isLimited(data []byte) bool {
	var answer struct {
		Errors []struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"errors"`
	}
	if json.Unmarshal(data, &answer) != nil {
		return false
	}
	for _, e := range answer.Errors {
		if e.Type == "RATE_LIMITED" || strings.Contains(strings.ToLower(e.Message), "secondary rate limit") {
			return true
		}
	}
	return false
}

// message returns the text of an error of GitHub or GitLab.
func message(data []byte) string {
	var answer struct {
		Message any `json:"message"`
		Error   any `json:"error"`
		Errors  []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	if json.Unmarshal(data, &answer) != nil {
		return ""
	}
	var parts []string
	for _, part := range []any{answer.Message, answer.Error} {
		switch part := part.(type) {
		case nil:
		case string:
			parts = append(parts, part)
		default: // GitLab lists the faults of each field.
			text, err := json.Marshal(part)
			if err == nil {
				parts = append(parts, string(text))
			}
		}
	}
	for _, e := range answer.Errors {
		if e.Message != "" {
			parts = append(parts, e.Message)
		}
	}
	return strings.Join(parts, ": ")
}

// maxMessage is the maximum length of a service's message, in bytes.
const maxMessage = 300

// clean returns a text from a service on one line, shortened and without the token.
func (c *client) clean(text string) string {
	if c.token != "" {
		text = strings.ReplaceAll(text, c.token, "[token]")
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return text
}
