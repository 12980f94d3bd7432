package samples

import "context"

// A Sample is a sample for [Client.Add], for clients that are not read from files.
type Sample struct {
	// Time is in milliseconds since 1970. Level and Step are in millionths of a per cent. A Step of
	// 0 means that the level is exact.
	Time        int64
	Level, Step int32
	State       State
	Trigger     Trigger
	// Apps, Versions and Features are IDs from Names. Versions may be shorter than Apps. Features
	// has one value for each feature of the set.
	Apps, Versions, Features []uint32
}

// NewClient returns a client without samples. features is the number of the set's features.
func NewClient(id ID, features int) *Client {
	c := &Client{}
	c.reset(id, features)
	return c
}

// Add adds a sample. It must not be earlier than the previous one.
func (c *Client) Add(s *Sample) {
	c.run(s.Apps, s.Versions)
	for f := range c.Features {
		c.Features[f] = append(c.Features[f], s.Features[f])
	}
	c.Times = append(c.Times, s.Time)
	c.Levels = append(c.Levels, s.Level)
	c.Steps = append(c.Steps, s.Step)
	c.States = append(c.States, s.State)
	c.Triggers = append(c.Triggers, s.Trigger)
}

// InMemory returns a set of clients in memory. parts is the approximate number of its parts.
func InMemory(names *Names, features []string, clients []*Client, parts int) *Set {
	s := &Set{Names: names, Features: features, counts: newCounts()}
	size := max(1, (len(clients)+parts-1)/max(1, parts))
	for from := 0; from < len(clients); from += size {
		share := clients[from:min(from+size, len(clients))]
		s.parts = append(s.parts, func(ctx context.Context, f func(*Client) error) error {
			for _, c := range share {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := f(c); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return s
}
