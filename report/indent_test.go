package report

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// TestWriteIndented checks that values are written as the encoder of encoding/json writes them.
func TestWriteIndented(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	texts := []string{"", "a", `"`, `\`, `\"`, "{", "}", "[]", ",", ": ", "<init>", "\n", "\u2028", "ä", "\xff", "a,b:{c}"}
	var value func(depth int) any
	value = func(depth int) any {
		switch n := r.IntN(9); {
		case n < 2 && depth < 5:
			list := []any{}
			for range r.IntN(4) {
				list = append(list, value(depth+1))
			}
			return list
		case n < 5 && depth < 5:
			object := map[string]any{}
			for range r.IntN(4) {
				object[texts[r.IntN(len(texts))]] = value(depth + 1)
			}
			return object
		case n == 5:
			return r.Float64() * 1e30
		case n == 6:
			return []any{nil, true, false, r.Int64()}[r.IntN(4)]
		}
		return texts[r.IntN(len(texts))] + texts[r.IntN(len(texts))]
	}
	for range shorten.Count(3000) {
		v := value(0)
		if r.IntN(10) == 0 {
			v = []any{v, make([]int, r.IntN(40_000)/100)}
		}
		var got, want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		if err := writeIndented(&got, v); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Fatalf("got\n%s\nwant\n%s", got.Bytes(), want.Bytes())
		}
	}
}
