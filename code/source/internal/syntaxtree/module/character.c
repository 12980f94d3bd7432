// The scanner's questions about characters, answered as C's own locale does: a library
// that knows all of Unicode takes its time for each space.

#include <wctype.h>

int iswspace(wint_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int iswalpha(wint_t c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
int iswalnum(wint_t c) { return iswalpha(c) || (c >= '0' && c <= '9'); }
