package apk

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
)

// A cursor reads length-prefixed values. It panics on damaged data, and verify recovers.
type cursor []byte

func (c *cursor) u32() uint32 {
	v := binary.LittleEndian.Uint32(*c)
	*c = (*c)[4:]
	return v
}

func (c *cursor) value() cursor {
	n := c.u32()
	v := (*c)[:n]
	*c = (*c)[n:]
	return v
}

// verify checks an archive's signatures of schemes 2 and 3 as Android's documents describe, without
// using the package's code. It returns the certificate.
func verify(data []byte) (certificate []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("damaged: %v", r)
		}
	}()
	at := len(data) - 22
	for binary.LittleEndian.Uint32(data[at:]) != 0x06054b50 {
		at--
	}
	end := bytes.Clone(data[at:])
	directory := int(binary.LittleEndian.Uint32(end[16:]))
	if string(data[directory-16:directory]) != "APK Sig Block 42" {
		return nil, errors.New("no signing block")
	}
	size := int(binary.LittleEndian.Uint64(data[directory-24:]))
	block := directory - size - 8
	if int(binary.LittleEndian.Uint64(data[block:])) != size {
		return nil, errors.New("the sizes of the block differ")
	}
	binary.LittleEndian.PutUint32(end[16:], uint32(block))
	digest := contentDigest(data[:block], data[directory:at], end)
	seen := map[uint32]bool{}
	for pairs := cursor(data[block+8 : directory-24]); len(pairs) > 0; {
		n := binary.LittleEndian.Uint64(pairs)
		pair := pairs[8 : 8+n]
		pairs = pairs[8+n:]
		id := pair.u32()
		seen[id] = true
		if id != 0x7109871a && id != 0xf05368c0 {
			return nil, fmt.Errorf("unknown block %x", id)
		}
		signers := pair.value()
		if len(pair) != 0 {
			return nil, errors.New("bytes after the signers")
		}
		for len(signers) > 0 {
			if certificate, err = verifySigner(signers.value(), id == 0xf05368c0, digest); err != nil {
				return nil, fmt.Errorf("block %x: %w", id, err)
			}
		}
	}
	if len(seen) != 2 {
		return nil, fmt.Errorf("blocks %v", seen)
	}
	return certificate, nil
}

// contentDigest returns the digest of the three signed sections.
func contentDigest(sections ...[]byte) []byte {
	var sums []byte
	n := 0
	for _, s := range sections {
		for len(s) > 0 {
			chunk := s[:min(len(s), 1<<20)]
			s = s[len(chunk):]
			sum := sha256.Sum256(append(binary.LittleEndian.AppendUint32([]byte{0xa5}, uint32(len(chunk))), chunk...))
			sums = append(sums, sum[:]...)
			n++
		}
	}
	sum := sha256.Sum256(append(binary.LittleEndian.AppendUint32([]byte{0x5a}, uint32(n)), sums...))
	return sum[:]
}

func verifySigner(s cursor, scheme3 bool, digest []byte) ([]byte, error) {
	signed := s.value()
	levels := [2]uint32{}
	if scheme3 {
		levels = [2]uint32{s.u32(), s.u32()}
	}
	signatures, public := s.value(), s.value()
	if len(s) != 0 {
		return nil, errors.New("bytes after the signer")
	}
	key, err := x509.ParsePKIXPublicKey(public)
	if err != nil {
		return nil, err
	}
	signature := signatures.value()
	algorithm := signature.u32()
	sum := sha256.Sum256(signed)
	switch k := key.(type) {
	case *rsa.PublicKey:
		err = rsa.VerifyPKCS1v15(k, crypto.SHA256, sum[:], signature.value())
	case *ecdsa.PublicKey:
		if !ecdsa.VerifyASN1(k, sum[:], signature.value()) {
			err = errors.New("ECDSA")
		}
	}
	if err != nil {
		return nil, err
	}
	digests, certificates := signed.value(), signed.value()
	if scheme3 && levels != [2]uint32{signed.u32(), signed.u32()} {
		return nil, errors.New("the API levels differ")
	}
	attributes := signed.value()
	if protected := bytes.Contains(attributes, []byte{0x0d, 0xf0, 0xef, 0xbe, 3, 0, 0, 0}); protected == scheme3 || len(signed) != 0 {
		return nil, errors.New("the attributes")
	}
	one := digests.value()
	if one.u32() != algorithm || !bytes.Equal(one.value(), digest) {
		return nil, errors.New("the digest of the content differs")
	}
	first := certificates.value()
	c, err := x509.ParseCertificate(first)
	if err != nil || !bytes.Equal(c.RawSubjectPublicKeyInfo, public) {
		return nil, errors.New("the certificate belongs to another key")
	}
	return first, nil
}
