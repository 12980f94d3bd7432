package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// An expression is an expression of GitHub Actions, with the parts that action.yml needs: literals,
// contexts, comparisons, and, or, not and parentheses. See
// https://docs.github.com/en/actions/reference/workflows-and-actions/expressions.
type expression struct {
	tokens []string
	look   func(path string) any
}

var tokens = regexp.MustCompile(`'(?:[^']|'')*'|==|!=|&&|\|\||[!()]|[A-Za-z_][\w.-]*|\S`)

// evaluate returns the value of an expression. look returns the value of a context such as
// inputs.name, or nil if there is none.
func evaluate(text string, look func(string) any) (value any, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("%s: %v", text, problem)
		}
	}()
	e := &expression{tokens.FindAllString(text, -1), look}
	value = e.either()
	if len(e.tokens) > 0 {
		err = fmt.Errorf("%s: %s is too much", text, e.tokens[0])
	}
	return value, err
}

// take removes the next token if it is one of any, and returns it.
func (e *expression) take(any ...string) string {
	for _, token := range any {
		if len(e.tokens) > 0 && e.tokens[0] == token {
			e.tokens = e.tokens[1:]
			return token
		}
	}
	return ""
}

func (e *expression) either() any {
	v := e.both()
	for e.take("||") != "" {
		if other := e.both(); !truth(v) {
			v = other
		}
	}
	return v
}

func (e *expression) both() any {
	v := e.compared()
	for e.take("&&") != "" {
		if other := e.compared(); truth(v) {
			v = other
		}
	}
	return v
}

func (e *expression) compared() any {
	v := e.operand()
	for {
		how := e.take("==", "!=")
		if how == "" {
			return v
		}
		v = strings.EqualFold(shownAs(v), shownAs(e.operand())) == (how == "==")
	}
}

func (e *expression) operand() any {
	switch {
	case e.take("!") != "":
		return !truth(e.operand())
	case e.take("(") != "":
		v := e.either()
		if e.take(")") == "" {
			panic("a parenthesis is open")
		}
		return v
	}
	if len(e.tokens) == 0 {
		panic("it ends too early")
	}
	token := e.tokens[0]
	e.tokens = e.tokens[1:]
	if text, ok := strings.CutPrefix(token, "'"); ok {
		return strings.ReplaceAll(strings.TrimSuffix(text, "'"), "''", "'")
	}
	if !strings.Contains(token, ".") {
		panic(token + " is not known here")
	}
	return e.look(token)
}

func truth(v any) bool { return v != nil && v != "" && v != false }

// shownAs returns a value as text.
func shownAs(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

var embedded = regexp.MustCompile(`\$\{\{(.*?)\}\}`)

// filled returns a text in which values replace its expressions.
func filled(t *testing.T, text string, look func(string) any) string {
	t.Helper()
	return embedded.ReplaceAllStringFunc(text, func(s string) string {
		v, err := evaluate(embedded.FindStringSubmatch(s)[1], look)
		if err != nil {
			t.Error(err)
		}
		return shownAs(v)
	})
}

func TestExpressions(t *testing.T) {
	look := func(path string) any {
		return map[string]any{"a.yes": "true", "a.number": 5, "a.on": true, "a.off": false}[path]
	}
	for text, want := range map[string]any{
		"'it''s'": "it's", "a.yes == 'TRUE'": true, "a.none": nil, "a.none == ''": true, "a.number && 'x'": "x", "a.none || 'y'": "y",
		"a.on && (a.off || a.yes == 'true')": true, "!a.on": false, "a.on != 'true'": false,
	} {
		if got, err := evaluate(text, look); err != nil || got != want {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "(a.on", "a.on a.off", "always()", "a.on ="} {
		if got, err := evaluate(text, look); err == nil {
			t.Errorf("%s is %v", text, got)
		}
	}
}
