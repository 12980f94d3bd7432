package noise

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// seeded returns a source with known random numbers.
func seeded(seed byte) *Source { return From(rand.NewChaCha8([32]byte{seed})) }

// TestLaplace compares the frequencies of drawn numbers with the distribution, by a chi-square test.
func TestLaplace(t *testing.T) {
	const draws = 40_000
	for _, scale := range []uint64{1, 2, 3, 7, 50} {
		source := seeded(byte(scale))
		width := max(1, scale/2) // width is the number of whole numbers per class.
		classes := map[int64]float64{}
		most := int64(8)
		for range draws {
			x, err := source.Laplace(scale)
			if err != nil {
				t.Fatal(err)
			}
			at := int64(math.Floor((float64(x) + float64(width)/2) / float64(width)))
			classes[max(-most, min(most, at))]++
		}
		weight := map[int64]float64{}
		whole := 0.0
		for x := -int64(60 * scale); x <= int64(60*scale); x++ {
			w := math.Exp(-math.Abs(float64(x)) / float64(scale))
			at := int64(math.Floor((float64(x) + float64(width)/2) / float64(width)))
			weight[max(-most, min(most, at))] += w
			whole += w
		}
		chi, classesOf := 0.0, 0
		for at, w := range weight {
			want := draws * w / whole
			if want < 5 {
				continue
			}
			classesOf++
			chi += (classes[at] - want) * (classes[at] - want) / want
		}
		// With 17 classes, chi-square exceeds 45 once in 7,000 cases.
		if chi > 45 {
			t.Errorf("scale %d: chi-square is %.1f of %d classes", scale, chi, classesOf)
		}
	}
}

// TestLargeScale draws with a large scale. The mean of the absolute values must be near the scale.
func TestLargeScale(t *testing.T) {
	const draws, scale = 20_000, 1 << 40
	source := seeded(9)
	sum := 0.0
	for range draws {
		x, err := source.Laplace(scale)
		if err != nil {
			t.Fatal(err)
		}
		sum += math.Abs(float64(x))
	}
	if mean := sum / draws / scale; mean < 0.97 || mean > 1.03 {
		t.Errorf("the mean size is %.3f of the scale", mean)
	}
}

// TestErrors draws with invalid scales, and without random numbers.
func TestErrors(t *testing.T) {
	for _, scale := range []uint64{0, MaxScale + 1} {
		if _, err := New().Laplace(scale); err == nil {
			t.Errorf("scale %d is allowed", scale)
		}
	}
	if _, err := From(strings.NewReader("few bytes")).Laplace(10); err == nil {
		t.Error("noise without random numbers")
	}
	if _, err := New().Laplace(MaxScale); err != nil {
		t.Error(err)
	}
}
