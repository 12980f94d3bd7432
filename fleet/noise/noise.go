// Package noise draws random whole numbers for differential privacy (Dwork, McSherry, Nissim and
// Smith, "Calibrating noise to sensitivity in private data analysis", 2006).
//
// If one client changes the sums by at most s in total, noise of the scale s/ε hides the client:
// the probability of any result changes by at most the factor exp(ε).
//
// Law: the distribution is exact. It is computed with whole numbers only (Canonne, Kamath and
// Steinke, "The discrete Gaussian for differential privacy", 2020, Algorithm 2), because noise in
// floating point can reveal a sum (Mironov, "On significance of the least significant bits for
// differential privacy", 2012).
package noise

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
)

// MaxScale is the largest scale of noise.
const MaxScale = 1 << 48

// A Source draws noise. Only one goroutine may use it.
type Source struct{ random io.Reader }

// New returns a source with the random numbers of the operating system.
func New() *Source { return &Source{bufio.NewReader(rand.Reader)} }

// From returns a source that uses the given random bytes, for tests.
func From(random io.Reader) *Source { return &Source{random} }

// Laplace draws x with a probability in proportion to exp(-|x|/scale). scale is from 1 to MaxScale.
func (s *Source) Laplace(scale uint64) (int64, error) {
	if scale < 1 || scale > MaxScale {
		return 0, fmt.Errorf("the scale of noise is %d: it must be from 1 to %d", scale, uint64(MaxScale))
	}
	for {
		low, err := s.below(scale)
		if err != nil {
			return 0, err
		}
		if ok, err := s.decays(low, scale); err != nil || !ok {
			if err != nil {
				return 0, err
			}
			continue
		}
		var high uint64
		for {
			ok, err := s.decays(1, 1)
			if err != nil {
				return 0, err
			}
			if !ok {
				break
			}
			high++
		}
		sign, err := s.below(2)
		if err != nil {
			return 0, err
		}
		x := int64(low + scale*high)
		switch {
		case sign == 0:
			return x, nil
		case x != 0: // Accept 0 with one sign only. Otherwise 0 would be twice as likely.
			return -x, nil
		}
	}
}

// decays returns true with the probability exp(-a/b). a must be at most b.
func (s *Source) decays(a, b uint64) (bool, error) {
	for k := uint64(1); ; k++ {
		// There is a next round with the probability a/(b·k).
		u, err := s.below(b * k)
		if err != nil {
			return false, err
		}
		if u >= a {
			return k%2 == 1, nil
		}
	}
}

// below draws a number from 0 to n-1 with equal probabilities.
func (s *Source) below(n uint64) (uint64, error) {
	mask := uint64(1)<<bits.Len64(n-1) - 1
	for {
		var b [8]byte
		if _, err := io.ReadFull(s.random, b[:]); err != nil {
			return 0, err
		}
		if u := binary.LittleEndian.Uint64(b[:]) & mask; u < n {
			return u, nil
		}
	}
}
