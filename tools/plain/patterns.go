package main

import "regexp"

// A pattern is a way of wording that is rare in plain technical English.
type pattern struct {
	name string
	re   *regexp.Regexp
	// except matches plain English that re also matches. nil means no exception.
	except *regexp.Regexp
}

// patterns are matched against whole paragraphs, so that a phrase is also found if it spans two
// lines. They do not match similar phrases of plain English.
var patterns = []pattern{
	{"is that of", words(`(is|are|has|have|shows?|as|than|to|with|by|from|in) (that|those) of`), nil},
	{"what of, of what", words(`(what of|of what)`), words(`of what (is|are|was|were|has|have)`)},
	{"says of", words(`sa(y|ys|id|ying) of`), nil},
	{"that there is", words(`that there (is|are)( not|n't)?`), words(`that there (is|are) (a|an|at|some|more|only|still|enough|\d+)`)},
	{"Of which first", regexp.MustCompile(`(^|[.;:,] )(Of (which|whom|those|these|them|several|one|a|the)|of (which|whom|those|these|them)) `), nil},
	{"as X has it", words(`as [\w.\[\]]+ (has|have) (it|them)`), nil},
	{"is of X", words(`(is|are|was|were) of (a|one|its|their|the|no|another|several)`), words(`(is|are|was|were) of (a|one|the) (\w+ )?(form|type|kind|kinds|order|size|length|shape|same)`)},
	{"but for", words(`but for`), words(`but for (backward|compatibility|now|historical|performance|example)`)},
	{"beside", words(`beside`), nil},
	{"stands, lies", words(`(stands?|lies|stood) (in|at|on|beside|behind|where|there|apart|under|above)`), words(`(stands? (in the way|on its own|alone)|lies (in|on) the (range|interval))`)},
	{"tells apart, told from", words(`(tells?|told|telling|parts|parted) (\w+ )?(apart|from)`), words(`(parts|parts \w+) from`)},
	{"an X a Y", words(`(one|a|an) \w+ an? (event|line|format|command|method|record|stage|language|platform|side|batch|component|run|row|kind|commit|call|moment|test|minute|file|task|device|app|user|field|group)`), words(`(a|an|one) (\w+ing|is|as|not|be|to|such|half|quite|has|was|for|if|than|in|with|from|on|by|of|at|or|and) an? \w+`)},
	{"nobody, none is", words(`([Nn]obody|[Nn]one is)`), words(`none is (known|given|set|found|named|needed)`)},
	{"so many, so much", words(`so (many|much)`), words(`so (many|much) (as|that|more|\w+ that)`)},
	{"who asks", words(`who (asks|shows|makes|has|reads)`), nil},
}

// words compiles a pattern that begins and ends at the bounds of words.
func words(re string) *regexp.Regexp { return regexp.MustCompile(`\b(?:` + re + `)\b`) }

// A match is the position in a text at which a pattern matched.
type match struct {
	at   int
	name string
}

// find returns the matches of all patterns in text, sorted by pattern.
func find(text string) []match {
	var found []match
	for _, p := range patterns {
		for _, at := range p.re.FindAllStringIndex(text, -1) {
			if p.except != nil {
				if skip := p.except.FindStringIndex(text[at[0]:]); skip != nil && skip[0] == 0 {
					continue
				}
			}
			found = append(found, match{at[0], p.name})
		}
	}
	return found
}
