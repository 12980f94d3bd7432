package samples

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// shown reads samples and returns them as text. names has the clients' names, whose hashes must
// match; by default they are a and b.
func shown(t *testing.T, o Options, names ...string) string {
	t.Helper()
	if names == nil {
		names = []string{"a", "b"}
	}
	o.Key, o.Reread = []byte("key"), true
	set, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	first := textOf(t, set, o.Key, names)
	if again := textOf(t, set, o.Key, names); again != first {
		t.Errorf("read again as\n%s, at first as\n%s", again, first)
	}
	return first
}

// textOf returns a set as text.
func textOf(t *testing.T, set *Set, key []byte, names []string) string {
	t.Helper()
	var features []string
	order := make([]int, len(set.Features))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(set.Features[i], set.Features[j]) })
	for _, f := range order {
		features = append(features, set.Features[f])
	}
	clients := map[string]string{}
	for p := range set.Parts() {
		err := set.Each(context.Background(), p, func(c *Client) error {
			i := slices.IndexFunc(names, func(n string) bool { return HashClient(key, n) == c.ID })
			if i < 0 {
				t.Fatalf("a client has the hash %x, which is that of none", c.ID)
			}
			if clients[names[i]] != "" {
				t.Fatalf("client %s comes twice", names[i])
			}
			var b strings.Builder
			fmt.Fprintf(&b, "client %s: features %s\n", names[i], strings.Join(features, ","))
			for i := range c.Len() {
				fmt.Fprintf(&b, "  %s %v %s", time.UnixMilli(c.Times[i]).UTC().Format(time.RFC3339), float64(c.Levels[i])/Percent, []string{"unknown", "discharging", "charging"}[c.States[i]])
				for _, f := range order {
					b.WriteString(" " + set.Names.Text(c.Features[f][i]))
				}
				b.WriteString(running(set, c, i))
				if c.Triggers[i] == LevelChanged {
					b.WriteString(" changed")
				}
				b.WriteByte('\n')
			}
			clients[names[i]] = b.String()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	for _, n := range names {
		b.WriteString(clients[n])
	}
	return b.String()
}

// running lists the apps of a sample with their versions.
func running(set *Set, c *Client, i int) string {
	var all []string
	for _, at := range c.Ran(i) {
		s := " " + set.Names.Text(c.Entries[at].App)
		if v := set.Names.Text(c.Entries[at].Version); v != "" {
			s += "@" + v
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return strings.Join(all, "")
}
