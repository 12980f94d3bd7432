package mcp

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is the longest text in an answer, in characters. The labels of methods and the sentences
// of the judgement are shorter.
const maxText = 1500

// clean makes a text safe for an answer. Names in recordings are untrusted: they must not hide or
// reorder text, or fill the answer.
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
	if len(text) <= maxText || utf8.RuneCountInString(text) <= maxText {
		return text
	}
	runes := []rune(text)
	return string(runes[:maxText/2]) + "…" + string(runes[len(runes)-maxText/2:])
}

// cleanAll cleans every text in a value. It follows structures, slices and pointers. It copies slices
// and the targets of pointers first, because the value may share them with a comparison.
func cleanAll(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if v.CanSet() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			v.Set(own)
		}
		cleanAll(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() || v.Type().Field(i).Anonymous {
				cleanAll(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.IsNil() || !v.CanSet() {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		for i := range v.Len() {
			cleanAll(v.Index(i))
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(clean(v.String()))
		}
	}
}
