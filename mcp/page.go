package mcp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// A page is the part of a list in an answer.
type page struct {
	Total      int    `json:"total" jsonschema:"number of all rows"`
	NextCursor string `json:"nextCursor,omitempty" jsonschema:"pass it as cursor for the rows that follow"`
}

// A paged request continues a list.
type paged struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"nextCursor of the previous answer; leave the other arguments unchanged"`
	Limit  int    `json:"limit,omitempty" jsonschema:"largest number of rows; 10 by default"`
}

// defaultRows is the default number of rows of an answer.
const defaultRows = 10

// bytesPerToken is a lower estimate of the bytes per token in JSON. Because it is a lower estimate,
// an answer stays below its limit in tokens.
const bytesPerToken = 3

// fill adds rows to an answer until it is full. list identifies the list, and a cursor of another
// list is refused. answer is the answer without rows. n is the length of the list, and item makes
// one of its rows.
func fill[Row any](s *Server, a paged, list string, answer any, n int, item func(i int) Row) (rows []Row, p page, err error) {
	rows, p.Total = []Row{}, n
	from := 0
	if a.Cursor != "" {
		if from, err = position(a.Cursor, digest(list), n); err != nil {
			return nil, p, err
		}
	}
	if a.Limit < 0 {
		return nil, p, fmt.Errorf("limit is %d: give a number of rows above 0", a.Limit)
	}
	limit := cmp.Or(a.Limit, defaultRows)
	list = digest(list)
	left := s.o.Tokens * bytesPerToken
	left -= size(answer)
	for i := from; i < n; i++ {
		row := item(i)
		left -= size(row)
		if len(rows) > 0 && left < 0 || len(rows) == limit {
			p.NextCursor = strconv.Itoa(i) + "@" + list
			break
		}
		rows = append(rows, row)
	}
	return rows, p, nil
}

// digest hashes the description of a list for a cursor.
func digest(list string) string {
	h := fnv.New64a()
	h.Write([]byte(list))
	return strconv.FormatUint(h.Sum64(), 36)
}

// size returns the length of a value in JSON.
func size(v any) int {
	data, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(data)
}

// position parses a cursor.
func position(cursor, list string, n int) (int, error) {
	at, digest, ok := strings.Cut(cursor, "@")
	i, err := strconv.Atoi(at)
	if !ok || err != nil || i < 0 {
		return 0, fmt.Errorf("%q is no cursor: pass nextCursor of an answer unchanged", clean(cursor))
	}
	if digest != list || i > n {
		return 0, errors.New("the cursor belongs to another list, since the recordings or the arguments changed: ask again without it")
	}
	return i, nil
}
