package manifest

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// events calls take for the start and the end of each element of an XML text.
func events(t testing.TB, text string, take func(name string, attributes []attribute, end bool)) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			var list []attribute
			for _, a := range e.Attr {
				list = append(list, attribute{a.Name.Local, a.Value})
			}
			take(e.Name.Local, list, false)
		case xml.EndElement:
			take(e.Name.Local, nil, true)
		}
	}
}
