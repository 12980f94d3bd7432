package art

import "github.com/diffprof/diffprof/trace"

// technique works out from the events whether they were sampled.
type technique struct{}

func (t *technique) observe([]trace.Event)               {}
func (t *technique) verdict(trace.Clock) trace.Technique { return trace.UnknownTechnique }
