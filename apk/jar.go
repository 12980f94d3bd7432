package apk

import (
	"bytes"
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"encoding/asn1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smallstep/pkcs7"
)

// sdkSHA256 is the first API level at which Android supports SHA-256 and ECDSA in scheme 1.
const sdkSHA256 = 18

// A digestion is a digest algorithm of scheme 1.
type digestion struct {
	name string
	hash crypto.Hash
	oid  asn1.ObjectIdentifier
}

// signManifest adds the files of scheme 1: the digests of all entries, the digests of these
// digests, and a signature. Scheme 1 signs uncompressed content, so each entry is decompressed.
func (c *copying) signManifest(key *Key, minSDK int) error {
	with := digestion{"SHA-256", crypto.SHA256, pkcs7.OIDDigestAlgorithmSHA256}
	if minSDK < sdkSHA256 {
		with = digestion{"SHA1", crypto.SHA1, pkcs7.OIDDigestAlgorithmSHA1}
		if _, isEC := key.private.Public().(*ecdsa.PublicKey); isEC {
			return errors.New("the app runs on API levels below 18, which need an RSA key: give a keystore with one")
		}
	}
	names := make([]int, 0, len(c.files))
	for i, f := range c.files {
		if !strings.HasSuffix(f.name, "/") {
			names = append(names, i)
		}
	}
	slices.SortFunc(names, func(i, j int) int { return cmp.Compare(c.files[i].name, c.files[j].name) })
	var manifest, sections bytes.Buffer
	manifest.WriteString("Manifest-Version: 1.0\r\nCreated-By: diffprof\r\n\r\n")
	header := with.digest(manifest.Bytes())
	for _, i := range names {
		f := &c.files[i]
		sum := with.hash.New()
		if f.changed {
			sum.Write(f.data)
		} else if err := c.archive.copy(sum, f.entry); err != nil {
			return err
		}
		start := manifest.Len()
		with.section(&manifest, f.name, sum.Sum(nil))
		digest := with.hash.New()
		digest.Write(manifest.Bytes()[start:])
		with.section(&sections, f.name, digest.Sum(nil))
	}
	var signature bytes.Buffer
	fmt.Fprintf(&signature, "Signature-Version: 1.0\r\nCreated-By: diffprof\r\n%s-Digest-Manifest: %s\r\n%s-Digest-Manifest-Main-Attributes: %s\r\nX-Android-APK-Signed: 2, 3\r\n\r\n",
		with.name, with.digest(manifest.Bytes()), with.name, header)
	sections.WriteTo(&signature)
	block, err := key.pkcs7(signature.Bytes(), with)
	if err != nil {
		return err
	}
	suffix := "RSA"
	if _, isEC := key.private.Public().(*ecdsa.PublicKey); isEC {
		suffix = "EC"
	}
	for _, f := range []file{
		{name: "META-INF/MANIFEST.MF", data: manifest.Bytes()},
		{name: "META-INF/CERT.SF", data: signature.Bytes()},
		{name: "META-INF/CERT." + suffix, data: block},
	} {
		f.method, f.changed = Deflated, true
		if err := f.compress(); err != nil {
			return err
		}
		c.files = append(c.files, f)
	}
	return nil
}

// digest returns the digest of data in base64.
func (d digestion) digest(data []byte) string {
	h := d.hash.New()
	h.Write(data)
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// section writes an entry's section of the manifest: its name, and the digest sum.
func (d digestion) section(w *bytes.Buffer, name string, sum []byte) {
	line(w, "Name: "+name)
	line(w, d.name+"-Digest: "+base64.StdEncoding.EncodeToString(sum))
	w.WriteString("\r\n")
}

// line writes an attribute. It splits lines of more than 72 bytes, including the line end. The
// second part of a line begins with a space.
func line(w io.StringWriter, text string) {
	const most = 70
	for first := true; ; first = false {
		room := most
		if !first {
			w.WriteString(" ")
			room--
		}
		n := min(room, len(text))
		w.WriteString(text[:n])
		w.WriteString("\r\n")
		if text = text[n:]; text == "" {
			return
		}
	}
}

// pkcs7 returns the detached signature of data that scheme 1 requires.
func (k *Key) pkcs7(data []byte, with digestion) ([]byte, error) {
	s, err := pkcs7.NewSignedData(data)
	if err != nil {
		return nil, err
	}
	s.SetDigestAlgorithm(with.oid)
	if err := s.SignWithoutAttr(k.chain[0], k.private, pkcs7.SignerInfoConfig{}); err != nil {
		return nil, err
	}
	for _, c := range k.chain[1:] {
		s.AddCertificate(c)
	}
	s.Detach()
	return s.Finish()
}
