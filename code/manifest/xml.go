package manifest

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/diffprof/diffprof/internal/syntax"
)

// readText reads a manifest in text form.
func readText(data []byte) (*Manifest, error) {
	var b builder
	d := xml.NewDecoder(bytes.NewReader(data))
	for first := true; ; {
		token, err := d.Token()
		if err == io.EOF {
			return &b.Manifest, nil
		}
		if err != nil {
			line, _ := d.InputPos()
			var bad *xml.SyntaxError
			if errors.As(err, &bad) {
				err = errors.New(bad.Msg)
			}
			return nil, &syntax.Error{Line: line, Format: "manifest", Err: err}
		}
		switch t := token.(type) {
		case xml.StartElement:
			if first && t.Name.Local != "manifest" {
				return nil, errUnknown
			}
			first = false
			attributes := make([]attribute, len(t.Attr))
			for i, a := range t.Attr {
				attributes[i] = attribute{a.Name.Local, a.Value}
			}
			b.start(t.Name.Local, attributes)
		case xml.EndElement:
			b.end(t.Name.Local)
		}
	}
}

// The chunk types of binary XML that are read, with their names in Android's ResourceTypes.h.
const (
	chunkStrings   = 0x0001 // RES_STRING_POOL_TYPE
	chunkXML       = 0x0003 // RES_XML_TYPE
	chunkResources = 0x0180 // RES_XML_RESOURCE_MAP_TYPE
	chunkStart     = 0x0102 // RES_XML_START_ELEMENT_TYPE
	chunkEnd       = 0x0103 // RES_XML_END_ELEMENT_TYPE
)

// resources maps attribute IDs to names. Android identifies attributes by ID, and some obfuscators
// remove their names.
var resources = map[uint32]string{
	0x01010003: "name", 0x01010009: "protectionLevel", 0x0101000b: "sharedUserId",
	0x01010202: "targetActivity", 0x0101020c: "minSdkVersion",
}

const (
	noString    = 0xffffffff
	typeString  = 3      // Res_value::TYPE_STRING
	typeDecimal = 0x10   // Res_value::TYPE_INT_DEC
	typeHex     = 0x11   // Res_value::TYPE_INT_HEX
	utf8Flag    = 1 << 8 // ResStringPool_header::UTF8_FLAG
)

var errCut = errors.New("a chunk is longer than its parent")

// readBinary reads a manifest in binary form, as in an APK. A chunk begins with its type, the size
// of its header, and its own size.
func readBinary(data []byte) (*Manifest, error) {
	x := binaryXML{data: data}
	for at := int(binary.LittleEndian.Uint16(data[2:])); at < len(data); {
		chunk, kind, body, err := x.chunk(at)
		if err == nil {
			err = x.take(kind, chunk, body)
		}
		if err != nil {
			return nil, &syntax.Error{Offset: int64(at), Format: "binary manifest", Err: err}
		}
		at += len(chunk)
	}
	if !x.manifest {
		return nil, errUnknown
	}
	return &x.Manifest, nil
}

// A binaryXML reads binary XML.
type binaryXML struct {
	builder
	data     []byte
	strings  stringPool
	ids      []byte // Attribute IDs by the string index of the attribute's name.
	manifest bool   // Whether a manifest element was read.
}

// chunk returns the chunk at an offset, its type and the end of its header.
func (x *binaryXML) chunk(at int) (chunk []byte, kind uint16, body int, err error) {
	rest := x.data[at:]
	if len(rest) < 8 {
		return nil, 0, 0, errCut
	}
	kind, body = binary.LittleEndian.Uint16(rest), int(binary.LittleEndian.Uint16(rest[2:]))
	size := uint64(binary.LittleEndian.Uint32(rest[4:]))
	if size < 8 || size > uint64(len(rest)) || body < 8 || uint64(body) > size {
		return nil, 0, 0, errCut
	}
	return rest[:size], kind, body, nil
}

// take handles a chunk.
func (x *binaryXML) take(kind uint16, chunk []byte, body int) (err error) {
	switch kind {
	case chunkStrings:
		x.strings, err = newStringPool(chunk, body)
	case chunkResources:
		x.ids = chunk[body:]
	case chunkStart:
		err = x.element(chunk[body:])
	case chunkEnd:
		if len(chunk) < body+8 {
			return errCut
		}
		x.end(x.strings.at(binary.LittleEndian.Uint32(chunk[body+4:])))
	}
	return err
}

// element reads an element: a ResXMLTree_attrExt and its attributes.
func (x *binaryXML) element(body []byte) error {
	if len(body) < 20 {
		return errCut
	}
	name := x.strings.at(binary.LittleEndian.Uint32(body[4:]))
	start, size, count := int(binary.LittleEndian.Uint16(body[8:])), int(binary.LittleEndian.Uint16(body[10:])), int(binary.LittleEndian.Uint16(body[12:]))
	if size < 20 || start+size*count > len(body) {
		return errCut
	}
	attributes := make([]attribute, count)
	for i := range attributes {
		a := body[start+i*size:]
		value := binary.LittleEndian.Uint32(a[8:])
		typed := binary.LittleEndian.Uint32(a[16:])
		text := ""
		switch {
		case value != noString:
			text = x.strings.at(value)
		case a[15] == typeString:
			text = x.strings.at(typed)
		case a[15] == typeDecimal || a[15] == typeHex:
			text = strconv.FormatUint(uint64(typed), 10)
		}
		attributes[i] = attribute{x.attribute(binary.LittleEndian.Uint32(a[4:])), text}
	}
	x.manifest = x.manifest || name == "manifest"
	x.start(name, attributes)
	return nil
}

// attribute returns the name of an attribute. index is the string index of the name.
func (x *binaryXML) attribute(index uint32) string {
	if at := uint64(index) * 4; at+4 <= uint64(len(x.ids)) {
		if name, ok := resources[binary.LittleEndian.Uint32(x.ids[at:])]; ok {
			return name
		}
	}
	return x.strings.at(index)
}

// A stringPool has the strings of a file. It decodes each string only once. Strings may overlap, so
// the total length of decoded strings is limited to the size of the file.
type stringPool struct {
	offsets, text []byte
	utf8          bool
	known         map[uint32]string
	left          int
}

func newStringPool(chunk []byte, header int) (stringPool, error) {
	if header < 28 {
		return stringPool{}, errCut
	}
	count, start := uint64(binary.LittleEndian.Uint32(chunk[8:])), uint64(binary.LittleEndian.Uint32(chunk[20:]))
	if uint64(header)+4*count > uint64(len(chunk)) || start > uint64(len(chunk)) {
		return stringPool{}, fmt.Errorf("the table of %d texts is longer than the file", count)
	}
	return stringPool{
		offsets: chunk[header:][:4*count], text: chunk[start:],
		utf8: binary.LittleEndian.Uint32(chunk[16:])&utf8Flag != 0, known: make(map[uint32]string), left: len(chunk),
	}, nil
}

// at returns the string with an index. It is empty if the string is missing or damaged.
func (p *stringPool) at(index uint32) string {
	text, ok := p.known[index]
	if !ok && uint64(index)*4+4 <= uint64(len(p.offsets)) {
		text = p.decode(binary.LittleEndian.Uint32(p.offsets[4*index:]))
		p.known[index] = text
	}
	return text
}

// decode decodes the string at an offset.
func (p *stringPool) decode(offset uint32) string {
	if uint64(offset) >= uint64(len(p.text)) {
		return ""
	}
	text, width := p.text[offset:], 2
	if p.utf8 {
		_, text = length(text, 1) // Skip the length in UTF-16 units.
		width = 1
	}
	n, text := length(text, width)
	if p.left -= n * width; n*width > len(text) || p.left < 0 {
		return ""
	}
	if p.utf8 {
		if !utf8.Valid(text[:n]) {
			return ""
		}
		return string(text[:n])
	}
	units := make([]uint16, n)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(text[2*i:])
	}
	return string(utf16.Decode(units))
}

// length reads the length of a string. It has one unit of width bytes, or two units if the top bit
// of the first unit is set.
func length(data []byte, width int) (n int, rest []byte) {
	unit := func() int {
		if len(data) < width {
			data = nil
			return 0
		}
		n := int(data[0])
		if width == 2 {
			n = int(binary.LittleEndian.Uint16(data))
		}
		data = data[width:]
		return n
	}
	top := 1 << (8*width - 1)
	if n = unit(); n&top != 0 {
		n = (n&(top-1))<<(8*width) | unit()
	}
	return n, data
}
