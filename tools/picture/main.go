// Command picture reduces the size of a screenshot. A picture of text and flat areas has few
// important colors. The command replaces all colors by the most common ones, and by colors that
// differ much from these.
//
//	picture FROM.png TO.png
package main

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"slices"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: picture FROM.png TO.png")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	picture, err := png.Decode(in)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(out, few(picture)); err != nil {
		return err
	}
	return out.Close()
}

// apart is the squared distance of two colors.
func apart(a, b color.RGBA) int {
	square := func(x, y uint8) int { return (int(x) - int(y)) * (int(x) - int(y)) }
	return square(a.R, b.R) + square(a.G, b.G) + square(a.B, b.B)
}

// few reduces a picture to at most 256 colors.
func few(picture image.Image) image.Image {
	bounds := picture.Bounds()
	count := make(map[color.RGBA]int)
	each := func(f func(x, y int, c color.RGBA)) {
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				f(x, y, color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA))
			}
		}
	}
	each(func(_, _ int, c color.RGBA) { count[c]++ })
	order := func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B), cmp.Compare(a.A, b.A))
	}
	sorted := slices.SortedFunc(maps.Keys(count), order)
	common := min(len(sorted), 192)
	var palette color.Palette
	// off is the distance of each color from the nearest color in the palette.
	off := make([]int, len(sorted))
	add := func(c color.RGBA) {
		palette = append(palette, c)
		for i, other := range sorted {
			if d := apart(c, other); len(palette) == 1 || d < off[i] {
				off[i] = d
			}
		}
	}
	for _, c := range sorted[:common] {
		add(c)
	}
	// Add the colors that differ most, so that a thin line with a color of its own keeps about this
	// color.
	for len(palette) < min(len(sorted), 256) {
		worst := common
		for i := range sorted[common:] {
			if i += common; count[sorted[i]]*off[i] > count[sorted[worst]]*off[worst] {
				worst = i
			}
		}
		add(sorted[worst])
	}
	made := image.NewPaletted(bounds, palette)
	each(func(x, y int, c color.RGBA) { made.Set(x, y, c) })
	return made
}
