package mcp

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostText is the longest text in an answer, in characters. Labels of methods with many parameters
// are shorter, and so are the sentences of the judgement.
const mostText = 1500

// clean returns a text as an answer may contain it. Names in recordings are data of others: they
// must not hide or reorder text, and not fill the answer.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !unicode.IsGraphic(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
	if len(text) <= mostText || utf8.RuneCountInString(text) <= mostText {
		return text
	}
	runes := []rune(text)
	return string(runes[:mostText/2]) + "…" + string(runes[len(runes)-mostText/2:])
}

// cleanAll cleans every text in a value that v points to. Structures, slices, maps and pointers are
// followed.
func cleanAll(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			cleanAll(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				cleanAll(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			cleanAll(v.Index(i))
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(clean(v.String()))
		}
	}
}
