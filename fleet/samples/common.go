package samples

import (
	"context"
	"math"
	"sync"
)

// minClients is the minimum number of clients of a common name. Answers never show rarer names.
const minClients = 5

// Common is the set of names that at least minClients clients have. A few rarer names may be in
// it, because clients are counted approximately (see sketch).
type Common struct {
	hashes map[uint32]bool // hashes has the hashes of common names. The value is true for an app. It is nil while clients are counted.
	rare   int64
}

// has reports whether a name with a hash is common.
func (c *Common) has(hash uint32) bool {
	_, ok := c.hashes[hash]
	return ok
}

// counting reports whether the clients of names are still being counted. All names are then rare.
func (c *Common) counting() bool { return c.hashes == nil }

// Len returns the number of common names.
func (c *Common) Len() int { return len(c.hashes) }

// RareApps returns the approximate number of apps that are not common. The error is below 1 % for
// some millions of names.
func (c *Common) RareApps() int64 { return c.rare }

// sketchBits is the binary logarithm of the size of each row of a sketch, in bytes.
const sketchBits = 24

// A sketch counts the clients of each name in bounded memory (Cormode and Muthukrishnan, "An
// improved data stream summary: the count-min sketch", 2005). A name has one counter in each row,
// and may share it with other names. The smallest counter of a name is an upper bound of its
// clients. Counters stop at 255.
type sketch struct {
	rows [2][]uint8
	apps []bool // apps reports, for each counter of the first row, whether an app uses it.
}

func newSketch() *sketch {
	return &sketch{[2][]uint8{make([]uint8, 1<<sketchBits), make([]uint8, 1<<sketchBits)}, make([]bool, 1<<sketchBits)}
}

// places returns the index of a hash's counter in each row.
func (s *sketch) places(hash uint32) [2]uint64 {
	h := mixed(uint64(hash) + 1)
	return [2]uint64{h & (1<<sketchBits - 1), h >> (64 - sketchBits)}
}

// add counts a client of a name. It returns an upper bound of the name's clients so far. Counting
// stops at 255.
func (s *sketch) add(hash uint32, app bool) int {
	places, least := s.places(hash), uint8(math.MaxUint8)
	for row, at := range places {
		if s.rows[row][at] < math.MaxUint8 {
			s.rows[row][at]++
		}
		least = min(least, s.rows[row][at])
	}
	if app {
		s.apps[places[0]] = true
	}
	return int(least)
}

// appNames estimates the number of counted apps from the share of unused counters (linear counting:
// Whang, Vander-Zanden and Taylor, 1990).
func (s *sketch) appNames() float64 {
	free := 0
	for _, used := range s.apps {
		if !used {
			free++
		}
	}
	size := float64(len(s.apps))
	return -size * math.Log(math.Max(1, float64(free))/size)
}

// FindCommon reads all samples and counts the clients of each app, version and value. Its memory
// does not depend on the number of rare names. To read the samples a second time, set
// Options.Common to the result.
func FindCommon(ctx context.Context, o Options) (*Common, error) {
	common := &Common{}
	o.Names, o.Common, o.Reread, o.Show = nil, common, false, false
	set, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	counts, hashes := newSketch(), map[uint32]bool{}
	var mu sync.Mutex
	err = set.EachParallel(ctx, 0, func() func(*Client) {
		own := map[uint32]bool{}
		return func(c *Client) {
			clear(own)
			c.names(set.Names, own)
			mu.Lock()
			defer mu.Unlock()
			for h, app := range own {
				if counts.add(h, app) >= minClients {
					hashes[h] = hashes[h] || app
				}
			}
		}
	}, nil)
	if err != nil {
		return nil, err
	}
	apps := 0
	for _, app := range hashes {
		if app {
			apps++
		}
	}
	common.hashes, common.rare = hashes, int64(math.Round(max(0, counts.appNames()-float64(apps))))
	return common, nil
}

// names adds the hashes of the client's names to a map. The value is true for apps.
func (c *Client) names(n *Names, to map[uint32]bool) {
	add := func(id uint32) {
		if id != 0 {
			to[n.hash(id)] = false
		}
	}
	for _, e := range c.Entries {
		add(e.Version)
	}
	for _, values := range c.Features {
		last := uint32(0)
		for _, id := range values {
			if id != last {
				add(id)
			}
			last = id
		}
	}
	for _, e := range c.Entries {
		to[n.hash(e.App)] = true
	}
}
