// Package comment maintains one comment on a pull request of GitHub or a merge request of GitLab:
// it posts the comment once and edits it afterwards.
//
// The first line of a comment identifies it: a hidden marker with the comment's name. Only comments
// of the token's own user are edited and deleted. A marker that another author pasted is ignored,
// even if the token could edit that comment.
//
// Several programs may run concurrently, with the same name and user. Each posts a comment only if
// it finds none, and lists the comments again afterwards. A program that finds several comments
// keeps the oldest, updates its text, and deletes the others. The service numbers comments in the
// order of posting, so all programs keep the same comment, and the program that posted a later one
// finds it. The final text is the complete text of one of the programs.
//
// Requests are repeated if the service fails, the connection breaks or the service requests a
// pause, within a total time for waiting. Before a post is repeated, the comments are listed,
// because the comment may have been posted although the answer was lost.
//
// A token is sent only to the API's own scheme, host and port, and appears in no error. Everything
// in this package is safe for concurrent use.
package comment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Plain is the default name of a comment. Its marker is in comparisons in Markdown.
const Plain = "comparison"

// Marker returns the first line of the comment with this name.
func Marker(name string) string {
	// A comment in HTML must not contain two hyphens, because they end it.
	return markerBegin + strings.ReplaceAll(url.PathEscape(name), "--", "-%2D") + markerEnd
}

const markerBegin, markerEnd = "<!-- diffprof: ", " -->"

// marked returns a text with the marker of a name. It replaces another marker, and checks the
// limits of the service.
func (s Service) marked(name, text string) (string, error) {
	if first, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(first, markerBegin) && strings.HasSuffix(strings.TrimRight(first, "\r"), markerEnd) {
		text = rest
	}
	switch {
	case strings.TrimSpace(text) == "":
		return "", errors.New("the comment is empty")
	case !utf8.ValidString(text):
		return "", errors.New("the comment is not text in UTF-8")
	}
	text = Marker(name) + "\n" + text
	if n, most := utf8.RuneCountInString(text), services[s].most; n > most {
		return "", fmt.Errorf("the comment has %d characters, and the limit of %s is %d: compare --top 5 writes fewer rows", n, services[s].name, most)
	}
	return text, nil
}

// An Action is the action taken on a comment.
type Action string

// The values of Action.
const (
	Created   Action = "created"
	Updated   Action = "updated"
	Unchanged Action = "left as it was" // The comment already had this text.
)

// An Outcome is the result of Put, or the plan of a dry run.
type Outcome struct {
	Action Action
	// URL is the address of the comment, or of the change if there is no comment yet.
	URL string
	// Removed is the number of other comments with the name that were deleted.
	Removed int
}

// A post is a comment of the service.
type post struct {
	id, author int64
	body, url  string
}

// A host is the API of a service, for one change.
type host interface {
	// open returns the user ID of the token, and the address of the change.
	open(ctx context.Context) (me int64, address string, err error)
	// list returns all comments.
	list(ctx context.Context) ([]post, error)
	create(ctx context.Context, body string) (post, error)
	edit(ctx context.Context, id int64, body string) (post, error)
	remove(ctx context.Context, id int64) error
	// advice returns a remedy for an error of the service, or "".
	advice(f *failure) string
}

// A Conversation has the comments on one change.
type Conversation struct {
	host   host
	client *client
	change Change
}

// rounds is the maximum number of attempts to have exactly one comment.
const rounds = 5

// Put leaves exactly one comment with this name and text on the change. If dry is set, it only
// returns the plan. It rejects a text that the service would not accept before it sends anything.
func (c *Conversation) Put(ctx context.Context, name, text string, dry bool) (Outcome, error) {
	done, err := c.put(ctx, name, text, dry)
	if err == nil {
		return done, nil
	}
	var f *failure
	if errors.As(err, &f) {
		if advice := c.host.advice(f); advice != "" {
			err = fmt.Errorf("%w: %s", err, advice)
		}
	}
	return Outcome{}, fmt.Errorf("commenting on %s: %w", c.change, err)
}

func (c *Conversation) put(ctx context.Context, name, text string, dry bool) (Outcome, error) {
	text, err := c.change.Service.marked(name, text)
	if err != nil {
		return Outcome{}, err
	}
	me, address, err := c.host.open(ctx)
	if err != nil {
		return Outcome{}, err
	}
	done := Outcome{Action: Unchanged, URL: address}
	var written int64
	var lost error
	for round := range rounds {
		own, err := c.ownPosts(ctx, me, Marker(name))
		if err != nil {
			return done, err
		}
		if len(own) == 0 {
			done.Action = Created
			if dry {
				return done, nil
			}
			made, err := c.host.create(ctx, text)
			written = made.id
			if lost = maybeDone(err); lost != nil {
				err = c.client.wait(ctx, time.Second<<round, lost)
			}
			if err != nil {
				return done, err
			}
			continue
		}
		keep := own[0]
		if keep.id != written && plain(keep.body) != plain(text) {
			done.Action = Updated
			if !dry {
				edited, err := c.host.edit(ctx, keep.id, text)
				if isNotFound(err) {
					continue
				}
				if err != nil {
					return done, err
				}
				keep.url = edited.url
			}
		}
		done.URL, done.Removed = keep.url, len(own)-1
		return done, c.clear(ctx, own[1:], dry)
	}
	return done, cmp.Or(lost, errors.New("the comment was deleted several times, probably by another program"))
}

// ownPosts lists the comments with a marker whose author is the token's user, the oldest first.
func (c *Conversation) ownPosts(ctx context.Context, me int64, marker string) ([]post, error) {
	all, err := c.host.list(ctx)
	if err != nil {
		return nil, err
	}
	own := slices.DeleteFunc(all, func(p post) bool {
		first, _, _ := strings.Cut(p.body, "\n")
		return p.author != me || strings.TrimRight(first, "\r") != marker
	})
	slices.SortFunc(own, func(one, other post) int { return cmp.Compare(one.id, other.id) })
	return own, nil
}

// clear deletes comments. Another program may delete them concurrently.
func (c *Conversation) clear(ctx context.Context, posts []post, dry bool) error {
	if dry {
		return nil
	}
	for _, p := range posts {
		if err := c.host.remove(ctx, p.id); err != nil && !isNotFound(err) {
			return err
		}
	}
	return nil
}

// plain normalizes a text as the services do.
func plain(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}
