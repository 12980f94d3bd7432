package samples

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// shown reads samples and returns them as text. Clients are named by the names given, whose
// hashes they must have; without names they are a and b.
func shown(t *testing.T, o Options, names ...string) string {
	t.Helper()
	if names == nil {
		names = []string{"a", "b"}
	}
	o.Key = []byte("key")
	set, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
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
			i := slices.IndexFunc(names, func(n string) bool { return HashClient(o.Key, n) == c.ID })
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
	apps, versions := c.Apps(i)
	for n, a := range apps {
		s := " " + set.Names.Text(a)
		if v := set.Names.Text(versions[n]); v != "" {
			s += "@" + v
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return strings.Join(all, "")
}
