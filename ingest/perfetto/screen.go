package perfetto

import (
	"math"
	"strconv"

	"github.com/diffprof/diffprof/ingest/wire"
)

// initialDisplay reads the state and the brightness of the screen at the start of the recording.
// The state has the values of the counter ScreenState. The brightness is from 0 to 1.
func (s *sequence) initialDisplay(p *packet, at int64, out *list) error {
	return wire.Each(p.data, func(number int, value uint64, _ []byte) error {
		switch number {
		case 1:
			out.add(at, record{kind: kindProperty, text: []byte("debug.tracing.screen_state"), value: int64(int32(value))})
		case 2:
			if bright := math.Float64frombits(value); bright >= 0 && bright <= 1 {
				out.add(at, record{kind: kindBrightness, value: int64(math.Round(bright * 100))})
			}
		}
		return nil
	})
}

// systemProperties reads the system properties of Android whose values are numbers.
func (s *sequence) systemProperties(p *packet, at int64, out *list) error {
	return wire.Each(p.data, func(number int, _ uint64, data []byte) error {
		if number != 1 {
			return nil
		}
		name, err := bytesOf(data, 1)
		if err != nil {
			return err
		}
		value, err := bytesOf(data, 2)
		if err != nil {
			return err
		}
		if n, err := strconv.ParseInt(string(value), 10, 32); err == nil {
			out.add(at, record{kind: kindProperty, text: name, value: n})
		}
		return nil
	})
}
