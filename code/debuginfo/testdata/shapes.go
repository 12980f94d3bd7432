//go:build ignore

// A program with inlined functions.
package main

func square(x float64) float64 {
	return x*x +
		1/(x+1)
}

//go:noinline
func heavy(list []float64) (sum float64) {
	for _, x := range list {
		sum += square(x) +
			square(x+2)
	}
	return sum
}

func main() {
	list := make([]float64, 1000)
	for i := range list {
		list[i] = float64(i)
	}
	println(heavy(list))
}
