package simulation

import (
	"fmt"

	"github.com/diffprof/diffprof/fleet/samples"
)

// Start is the start of a fleet's samples, in milliseconds since 1970.
const Start = 1_704_067_200_000 // This is 2024-01-01.

// Features are the features of generated samples.
var Features = []string{samples.Screen, samples.Model, samples.Network}

// ModelName returns the name of a model.
func ModelName(model int) string { return fmt.Sprintf("Model %c", 'A'+model) }

// ClientName returns the name of a client.
func ClientName(client int) string { return fmt.Sprintf("client%06d", client) }

// Set generates all clients in memory. key is for hashing their names. parts is the approximate
// number of parts of the set.
func (f *Fleet) Set(key []byte, parts int) *samples.Set {
	names := samples.NewNames()
	apps := make([]uint32, len(f.Apps))
	for i := range f.Apps {
		apps[i] = names.ID(f.Apps[i].Name)
	}
	text := map[bool]uint32{true: names.ID("on"), false: names.ID("off")}
	network := map[bool]uint32{true: names.ID("mobile"), false: names.ID("wifi")}
	var clients []*samples.Client
	for i := range f.Clients {
		c := samples.NewClient(samples.HashClient(key, ClientName(i)), len(Features))
		model := names.ID(ModelName(f.Model(i)))
		one := samples.Sample{Step: int32(f.Step) * samples.Percent}
		f.Client(i, func(s *Sample) {
			one.Time, one.Level = Start+s.Time*1000, int32(s.Level)*samples.Percent
			one.State, one.Trigger = samples.Discharging, samples.LevelChanged
			if s.Charging {
				one.State, one.Trigger = samples.Charging, samples.Other
			}
			one.Features = append(one.Features[:0], text[s.Screen], model, network[s.Mobile])
			one.Apps, one.Versions = one.Apps[:0], one.Versions[:0]
			for _, a := range s.Apps {
				one.Apps = append(one.Apps, apps[a])
				one.Versions = append(one.Versions, names.ID(f.Version(i, a)))
			}
			c.Add(&one)
		})
		clients = append(clients, c)
	}
	return samples.InMemory(names, Features, clients, parts)
}
