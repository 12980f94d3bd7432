package apk

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"hash"
	"io"
)

// The first API levels at which Android supports the signature schemes 2 and 3.
const (
	sdkScheme2 = 24
	sdkScheme3 = 28
)

// Constants of the signing block, with their names in apksig's source.
const (
	blockMagic   = "APK Sig Block 42"
	idScheme2    = 0x7109871a
	idScheme3    = 0xf05368c0
	idProtection = 0xbeeff00d // the attribute with the latest scheme; an APK without that scheme is rejected

	signatureRSA   = 0x0103 // RSASSA-PKCS1-v1_5 with SHA-256
	signatureECDSA = 0x0201 // ECDSA with SHA-256

	chunkSize = 1 << 20
)

// A digester writes to w, and computes the digests that signatures need.
type digester struct {
	w io.Writer
	n int64
	// sums has the digests of all complete chunks. rest is the start of the next chunk. It must
	// wait until the chunk is complete, because a digest begins with the length of the chunk.
	sums []byte
	rest []byte
	hash hash.Hash
}

func newDigester(w io.Writer) *digester {
	return &digester{w: w, rest: make([]byte, 0, chunkSize), hash: sha256.New()}
}

// Write implements io.Writer.
func (d *digester) Write(p []byte) (int, error) {
	n, err := d.w.Write(p)
	d.n += int64(n)
	for left := p[:n]; len(left) > 0; {
		if len(d.rest) == 0 && len(left) >= chunkSize {
			d.chunk(left[:chunkSize])
			left = left[chunkSize:]
			continue
		}
		part := left[:min(len(left), chunkSize-len(d.rest))]
		d.rest = append(d.rest, part...)
		left = left[len(part):]
		if len(d.rest) == chunkSize {
			d.chunk(d.rest)
			d.rest = d.rest[:0]
		}
	}
	return n, err
}

// chunk appends the digest of a chunk to sums.
func (d *digester) chunk(p []byte) {
	d.hash.Reset()
	d.hash.Write(binary.LittleEndian.AppendUint32([]byte{0xa5}, uint32(len(p))))
	d.hash.Write(p)
	d.sums = d.hash.Sum(d.sums)
}

// digest returns the digest of all written bytes, of the central directory, and of the end record.
func (d *digester) digest(directory, end []byte) []byte {
	if len(d.rest) > 0 {
		d.chunk(d.rest)
		d.rest = d.rest[:0]
	}
	for _, section := range [][]byte{directory, end} {
		for len(section) > 0 {
			n := min(len(section), chunkSize)
			d.chunk(section[:n])
			section = section[n:]
		}
	}
	count := uint32(len(d.sums) / sha256.Size)
	d.hash.Reset()
	d.hash.Write(binary.LittleEndian.AppendUint32([]byte{0x5a}, count))
	d.hash.Write(d.sums)
	return d.hash.Sum(nil)
}

// signingBlock returns the signing block with the signatures of schemes 2 and 3.
func signingBlock(key *Key, digest []byte, minSDK int) ([]byte, error) {
	scheme2, err := key.signer(digest, nil, attribute(idProtection, binary.LittleEndian.AppendUint32(nil, 3)))
	if err != nil {
		return nil, err
	}
	levels := binary.LittleEndian.AppendUint32(nil, uint32(max(minSDK, sdkScheme3)))
	levels = binary.LittleEndian.AppendUint32(levels, 1<<31-1)
	scheme3, err := key.signer(digest, levels, nil)
	if err != nil {
		return nil, err
	}
	var pairs []byte
	for _, s := range []struct {
		id     uint32
		signer []byte
	}{{idScheme2, scheme2}, {idScheme3, scheme3}} {
		value := prefixed(prefixed(s.signer))
		pairs = binary.LittleEndian.AppendUint64(pairs, uint64(4+len(value)))
		pairs = binary.LittleEndian.AppendUint32(pairs, s.id)
		pairs = append(pairs, value...)
	}
	size := uint64(len(pairs) + 8 + len(blockMagic))
	block := binary.LittleEndian.AppendUint64(nil, size)
	block = append(block, pairs...)
	block = binary.LittleEndian.AppendUint64(block, size)
	return append(block, blockMagic...), nil
}

// prefixed concatenates parts and puts their total length before them.
func prefixed(parts ...[]byte) []byte {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	b := make([]byte, 0, 4+n)
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// attribute encodes an additional attribute.
func attribute(id uint32, value []byte) []byte {
	return prefixed(binary.LittleEndian.AppendUint32(nil, id), value)
}

// signer returns the signer block of scheme 2, or of scheme 3 if API levels are given.
func (k *Key) signer(digest, levels, attributes []byte) ([]byte, error) {
	algorithm, err := k.algorithm()
	if err != nil {
		return nil, err
	}
	id := binary.LittleEndian.AppendUint32(nil, algorithm)
	var certificates [][]byte
	for _, c := range k.chain {
		certificates = append(certificates, prefixed(c.Raw))
	}
	signed := prefixed(prefixed(id, prefixed(digest)))
	signed = append(signed, prefixed(certificates...)...)
	signed = append(signed, levels...)
	signed = append(signed, prefixed(attributes)...)
	sum := sha256.Sum256(signed)
	signature, err := k.private.Sign(rand.Reader, sum[:], crypto.SHA256)
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(k.private.Public())
	if err != nil {
		return nil, err
	}
	signer := prefixed(signed)
	signer = append(signer, levels...)
	signer = append(signer, prefixed(prefixed(id, prefixed(signature)))...)
	return append(signer, prefixed(public)...), nil
}

// algorithm returns the number of the key's signature algorithm.
func (k *Key) algorithm() (uint32, error) {
	switch k.private.Public().(type) {
	case *rsa.PublicKey:
		return signatureRSA, nil
	case *ecdsa.PublicKey:
		return signatureECDSA, nil
	}
	return 0, errors.New("the key is neither RSA nor ECDSA: sign with an RSA or ECDSA key")
}
