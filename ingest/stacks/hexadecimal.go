package stacks

// Hexadecimal parses up to 16 hexadecimal digits in lower case, the form of addresses in stacks.
func Hexadecimal(digits []byte) (uint64, bool) {
	n := uint64(0)
	for _, c := range digits {
		switch {
		case '0' <= c && c <= '9':
			n = n<<4 | uint64(c-'0')
		case 'a' <= c && c <= 'f':
			n = n<<4 | uint64(c-'a'+10)
		default:
			return 0, false
		}
	}
	return n, len(digits) > 0 && len(digits) <= 16
}
