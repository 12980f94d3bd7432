package units

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
)

// The errors of Decimal are the ends of sentences, because a caller begins the sentence with the
// text.
var (
	errNotDecimal = errors.New("is not a decimal number")
	errNegative   = errors.New("is negative")
	errTooLarge   = errors.New("is too large")
	errTooLong    = errors.New("has too many digits")
)

// maxDecimal bounds the length of a decimal text. The largest number that fits has 19 digits,
// and no measured figure comes near the bound.
const maxDecimal = 256

// pow10 are the powers of ten that fit in a uint64.
var pow10 = func() (p [19]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// Decimal reads a decimal number, such as "12", "0.25" or "1.5e-3", and multiplies it by num/den.
// It rounds the product to the nearest integer, and ties to even. num and den must be positive. The
// arithmetic is exact, so "0.1" is a tenth. The number must not be negative, and the product must
// fit in an int64. The error is the end of a sentence that starts with the text, such as "is not a
// decimal number".
func Decimal[T ~string | ~[]byte](text T, num, den int64) (int64, error) {
	if len(text) > maxDecimal {
		return 0, errTooLong
	}
	d, err := scanDecimal(text)
	if err != nil || d.zero {
		return 0, err
	}
	if d.negative {
		return 0, errNegative
	}
	if d.short && d.exp <= 0 && -d.exp < len(pow10) {
		if over, divisor := bits.Mul64(uint64(den), pow10[-d.exp]); over == 0 {
			return d.scaleSmall(uint64(num), divisor)
		}
	}
	return d.scaleBig(string(text[:d.end]), num, den)
}

// A decimal is a scanned number. Its value is mantissa·10^exp.
type decimal struct {
	// mantissa is valid if short is set, which means that it did not overflow.
	mantissa uint64
	exp      int
	// end is the index where the digits end and the exponent begins.
	end                   int
	zero, short, negative bool
}

// scanDecimal reads the grammar -?digits[.digits][e[+-]digits], with at least one
// digit before the e.
func scanDecimal[T ~string | ~[]byte](text T) (decimal, error) {
	d := decimal{}
	i := 0
	if len(text) > 0 && text[0] == '-' {
		d.negative = true
		i++
	}
	begin, point := i, -1
	for ; i < len(text); i++ {
		if c := text[i] - '0'; c <= 9 {
			d.mantissa = 10*d.mantissa + uint64(c)
		} else if text[i] == '.' && point < 0 {
			point = i
		} else {
			break
		}
	}
	digits := i - begin
	if point >= 0 {
		digits--
		d.exp = point + 1 - i
	}
	d.short, d.zero = true, d.mantissa == 0
	if digits > 19 { // 19 digits fit in the mantissa.
		d.short, d.zero = fits(text[begin:i])
	}
	d.end = i
	if digits == 0 {
		return d, errNotDecimal
	}
	if i == len(text) {
		return d, nil
	}
	if text[i] != 'e' && text[i] != 'E' {
		return d, errNotDecimal
	}
	i++
	sign := 1
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		if text[i] == '-' {
			sign = -1
		}
		i++
	}
	if i == len(text) {
		return d, errNotDecimal
	}
	exp := 0
	for ; i < len(text); i++ {
		c := text[i]
		if c < '0' || c > '9' {
			return d, errNotDecimal
		}
		// All exponents beyond maxExponent give the same result.
		exp = min(10*exp+int(c-'0'), 2*maxExponent)
	}
	d.exp += sign * exp
	return d, nil
}

// fits reports whether the digits of a number fit in a mantissa, and whether they are all 0.
func fits[T ~string | ~[]byte](text T) (short, zero bool) {
	short, zero = true, true
	mantissa := uint64(0)
	for i := range len(text) {
		if text[i] == '.' {
			continue
		}
		zero = zero && text[i] == '0'
		short = short && mantissa <= (math.MaxUint64-9)/10
		mantissa = 10*mantissa + uint64(text[i]-'0')
	}
	return short, zero
}

// scaleSmall returns mantissa·num/divisor with one multiplication and one division. It suffices for
// numbers of usual size.
func (d decimal) scaleSmall(num, divisor uint64) (int64, error) {
	hi, lo := bits.Mul64(d.mantissa, num)
	if hi >= divisor {
		return 0, errTooLarge
	}
	var q, r uint64
	switch {
	case divisor == 1:
		q = lo
	case hi == 0:
		q, r = lo/divisor, lo%divisor
	default:
		q, r = bits.Div64(hi, lo, divisor)
	}
	up := r > divisor-r || r == divisor-r && q%2 == 1
	if up && q <= math.MaxInt64 {
		q++
	}
	if q > math.MaxInt64 {
		return 0, errTooLarge
	}
	return int64(q), nil
}

// maxExponent bounds exponents. It is so large that no mantissa of maxDecimal digits and no num/den
// can bring the result back into range.
const maxExponent = 2 * maxDecimal

// scaleBig returns the same as scaleSmall for numbers of any size.
func (d decimal) scaleBig(digits string, num, den int64) (int64, error) {
	switch {
	case d.exp > maxExponent:
		return 0, errTooLarge
	case d.exp < -maxExponent:
		return 0, nil
	}
	p := new(big.Int)
	for _, c := range []byte(digits) {
		if c != '.' {
			p.Mul(p, big.NewInt(10))
			p.Add(p, big.NewInt(int64(c-'0')))
		}
	}
	p.Mul(p, big.NewInt(num))
	q := big.NewInt(den)
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(d.exp, -d.exp))), nil)
	if d.exp > 0 {
		p.Mul(p, scale)
	} else {
		q.Mul(q, scale)
	}
	r := new(big.Int)
	p.QuoRem(p, q, r)
	if c := r.Lsh(r, 1).Cmp(q); c > 0 || c == 0 && p.Bit(0) == 1 {
		p.Add(p, big.NewInt(1))
	}
	if !p.IsInt64() {
		return 0, errTooLarge
	}
	return p.Int64(), nil
}
