// Package comment keeps one comment on a pull request of GitHub or a merge request of
// GitLab: it posts the comment once and edits it from then on.
//
// A comment is found by its first line, a marker that no reader sees and that has the
// comment's name. Only comments of the token's own identity are edited and deleted: a marker
// that someone else pasted is left alone, even where the token could edit it.
//
// Several programs may do this at once, with the same name and identity. Each posts a comment
// only if it finds none, and looks again after it has posted. Whoever finds several keeps the
// oldest, gives it its text, and deletes the others. The service numbers comments in the
// order in which they are posted, so that all keep the same one, and whoever posted a younger
// one finds it. The text that stands at the end is that of one of them, whole.
//
// Requests are repeated where the service fails, the connection breaks or the service asks for
// patience, and so long as the time for waiting lasts. Posting is never simply repeated: a
// lost answer may belong to a comment that was posted, so the list of comments is asked first.
//
// A token goes to the API's own scheme, host and port, and stands in no error. Everything here
// may be used concurrently.
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

// Plain is the name of the comment that a comparison in Markdown writes the marker of.
const Plain = "comparison"

// Marker is the first line of the comment with this name.
func Marker(name string) string {
	// A comment of HTML must not hold two hyphens, and ends with them.
	return markerBegin + strings.ReplaceAll(url.PathEscape(name), "--", "-%2D") + markerEnd
}

const markerBegin, markerEnd = "<!-- diffprof: ", " -->"

// marked is a text with the marker of a name in place of the one that it may have, as far as
// the service takes such a comment.
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
		return "", fmt.Errorf("the comment has %d characters, and %s takes %d: compare --top 5 writes fewer rows", n, services[s].name, most)
	}
	return text, nil
}

// A Did says what became of a comment.
type Did string

// The things that may become of a comment.
const (
	Created   Did = "created"
	Updated   Did = "updated"
	Unchanged Did = "left as it was" // It said the same already.
)

// An Outcome is what was done, or would be done.
type Outcome struct {
	Did Did
	// URL is the comment's address, or the change's where there is no comment yet.
	URL string
	// Removed is how many other comments with the name were deleted.
	Removed int
}

// A post is a comment as the service has it.
type post struct {
	id, author int64
	body, url  string
}

// A host is the API of a service, for one change.
type host interface {
	// open returns the identity of the token, and the address of the change.
	open(ctx context.Context) (me int64, address string, err error)
	// list returns all comments.
	list(ctx context.Context) ([]post, error)
	create(ctx context.Context, body string) (post, error)
	edit(ctx context.Context, id int64, body string) (post, error)
	remove(ctx context.Context, id int64) error
	// advice says what to do about an answer of the service, empty if there is nothing to say.
	advice(f *failure) string
}

// A Conversation is the comments on one change.
type Conversation struct {
	host   host
	client *client
	change Change
}

// rounds is how often the comments are listed at most until there is one.
const rounds = 5

// Put has the change bear one comment with this name and text. dry only says what would be
// done. A text that the service would not take is refused before anything is sent.
func (c *Conversation) Put(ctx context.Context, name, text string, dry bool) (Outcome, error) {
	done, err := c.put(ctx, name, text, dry)
	if err == nil {
		return done, nil
	}
	var f *failure
	if errors.As(err, &f) {
		if said := c.host.advice(f); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
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
	done := Outcome{Did: Unchanged, URL: address}
	var written int64
	var lost error
	for round := range rounds {
		own, err := c.own(ctx, me, Marker(name))
		if err != nil {
			return done, err
		}
		if len(own) == 0 {
			done.Did = Created
			if dry {
				return done, nil
			}
			made, err := c.host.create(ctx, text)
			written = made.id
			if lost = unknown(err); lost != nil {
				err = c.client.wait(ctx, time.Second<<round, lost)
			}
			if err != nil {
				return done, err
			}
			continue
		}
		keep := own[0]
		if keep.id != written && plain(keep.body) != plain(text) {
			done.Did = Updated
			if !dry {
				edited, err := c.host.edit(ctx, keep.id, text)
				if gone(err) {
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
	return done, cmp.Or(lost, errors.New("the comment is deleted again and again; another program seems to do that"))
}

// own lists the comments with a marker whose author is the token's identity, the oldest first.
func (c *Conversation) own(ctx context.Context, me int64, marker string) ([]post, error) {
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

// clear deletes comments. Another program may be doing the same.
func (c *Conversation) clear(ctx context.Context, posts []post, dry bool) error {
	if dry {
		return nil
	}
	for _, p := range posts {
		if err := c.host.remove(ctx, p.id); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

// plain is a text without what services change in it.
func plain(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}
