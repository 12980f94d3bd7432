package analysis

import (
	"context"
	"io"

	"github.com/diffprof/diffprof/ingest/batterystats"
)

// BatteryUse is Android's own estimate of the charge that apps and components used during a run. It
// is shown in addition to the run's energy and is not part of it.
type BatteryUse struct {
	// Path is the file of the estimate.
	Path string
	*batterystats.Usage
}

// ReadBatteryUse reads the output of dumpsys batterystats.
func ReadBatteryUse(ctx context.Context, path string, o Options) (*BatteryUse, error) {
	s := setup{options: o}
	use := &BatteryUse{Path: path}
	err := s.readTable(ctx, path, "battery statistics", func(r io.Reader) (err error) {
		use.Usage, err = batterystats.ReadUsage(ctx, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return use, nil
}
