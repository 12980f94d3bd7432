package formattest

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/trace/tracetest"
)

// Order permutes the members of all objects in every sample that is JSON. The members of a JSON
// object are unordered, so the decoded text must stay the same.
func (f Format) Order(t *testing.T) {
	permuted := 0
	for _, data := range samples(t) {
		if !json.Valid(data) {
			continue // This is a sample of a damaged file.
		}
		rec := recording{f, data, ""}
		want, err := tracetest.Show(t.Context(), rec)
		if err != nil {
			continue
		}
		permuted++
		for seed := range uint64(20) {
			rec.data = permute(t, data, rand.New(rand.NewPCG(seed, 7)))
			if !f.Sniff(rec.data) {
				t.Errorf("not recognised: %s", rec.data)
			}
			got, err := tracetest.Show(t.Context(), rec)
			if err != nil {
				t.Fatalf("%v in %s", err, rec.data)
			}
			if got != want {
				t.Fatalf("got\n%s\nwant\n%s\nfrom %s", got, want, rec.data)
			}
		}
	}
	if permuted == 0 {
		t.Error("no sample is JSON")
	}
}

// permute returns a document with the members of its objects in another order. Members with equal
// names keep their relative order.
func permute(t *testing.T, data []byte, rnd *rand.Rand) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var out bytes.Buffer
	var value func()
	token := func() json.Token {
		tok, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		return tok
	}
	write := func(v any) {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(b)
	}
	value = func() {
		switch tok := token(); tok {
		case json.Delim('['):
			out.WriteByte('[')
			for n := 0; d.More(); n++ {
				if n > 0 {
					out.WriteByte(',')
				}
				value()
			}
			token()
			out.WriteByte(']')
		case json.Delim('{'):
			var members [][]byte
			names := make(map[string]bool)
			double := false
			for d.More() {
				start := out.Len()
				name := token()
				write(name)
				double = double || names[name.(string)]
				names[name.(string)] = true
				out.WriteByte(':')
				value()
				members = append(members, bytes.Clone(out.Bytes()[start:]))
				out.Truncate(start)
			}
			token()
			if !double {
				rnd.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
			}
			out.WriteByte('{')
			out.Write(bytes.Join(members, []byte(",")))
			out.WriteByte('}')
		default:
			write(tok)
		}
	}
	value()
	return out.Bytes()
}
