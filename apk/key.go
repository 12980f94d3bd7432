package apk

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"software.sslmate.com/src/go-pkcs12"
)

// A Key signs archives. It is immutable.
type Key struct {
	private crypto.Signer
	// chain has the certificate of the key, and then the certificates that signed it.
	chain []*x509.Certificate
}

// Fingerprint returns the SHA-256 digest of the key's certificate. Android and app stores identify
// a signer by it.
func (k *Key) Fingerprint() string {
	sum := sha256.Sum256(k.chain[0].Raw)
	return hex.EncodeToString(sum[:])
}

const (
	// maxKeystore is the maximum size of a keystore in bytes.
	maxKeystore = 16 << 20
	// debugBits is the length of a debug key in bits. debugYears is the validity of its
	// certificate.
	debugBits, debugYears = 2048, 30
)

// jksMagic and jceksMagic are the first bytes of keystores in the formats JKS and JCEKS.
var jksMagic, jceksMagic = []byte{0xfe, 0xed, 0xfe, 0xed}, []byte{0xce, 0xce, 0xce, 0xce}

var (
	errPassword = errors.New("the password is wrong")
	errSigner   = errors.New("the key cannot sign")
)

// ReadKey reads the key of a keystore. The format is PKCS#12, which keytool has written since Java
// 9, or the older JKS. The keystore must have exactly one key.
func ReadKey(path, password string) (*Key, error) {
	data, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	read := readPKCS12
	switch {
	case bytes.HasPrefix(data, jksMagic):
		read = readJKS
	case bytes.HasPrefix(data, jceksMagic):
		return nil, fmt.Errorf("%s: a keystore of the form JCEKS: convert it with keytool -importkeystore -srckeystore %s -destkeystore %s.p12 -deststoretype pkcs12", path, filepath.Base(path), filepath.Base(path))
	}
	k, err := read(data, password)
	if err == nil {
		err = k.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
}

// readPKCS12 reads the key of a keystore in the format PKCS#12.
func readPKCS12(data []byte, password string) (*Key, error) {
	private, certificate, chain, err := pkcs12.DecodeChain(data, password)
	switch {
	case errors.Is(err, pkcs12.ErrIncorrectPassword), errors.Is(err, pkcs12.ErrDecryption):
		return nil, errPassword
	case err != nil:
		return nil, fmt.Errorf("not a keystore in the form PKCS#12 or JKS with one key: %w", err)
	}
	k := &Key{chain: append([]*x509.Certificate{certificate}, chain...)}
	var ok bool
	if k.private, ok = private.(crypto.Signer); !ok {
		return nil, errSigner
	}
	return k, nil
}

// check returns an error if Android does not accept the key, or if it does not belong to its
// certificate.
func (k *Key) check() error {
	if _, err := k.algorithm(); err != nil {
		return err
	}
	if public, ok := k.private.Public().(interface{ Equal(crypto.PublicKey) bool }); !ok || !public.Equal(k.chain[0].PublicKey) {
		return errors.New("the certificate belongs to another key")
	}
	return nil
}

// readSmall reads a file of at most maxKeystore bytes.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a file", path)
	case info.Size() > maxKeystore:
		return nil, fmt.Errorf("%s: larger than a keystore is", path)
	}
	return os.ReadFile(path)
}

// DebugKey reads the debug key at path, in the format PEM. If there is no file, it makes a key and
// writes it there, readable only by the user.
func DebugKey(path string) (*Key, error) {
	data, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeDebugKey(path); err == nil {
			data, err = readSmall(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("debug key: %w", err)
	}
	k := new(Key)
	for block, rest := pem.Decode(data); block != nil && err == nil; block, rest = pem.Decode(rest) {
		switch block.Type {
		case "PRIVATE KEY":
			var private any
			if private, err = x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
				k.private, _ = private.(crypto.Signer)
			}
		case "CERTIFICATE":
			var c *x509.Certificate
			if c, err = x509.ParseCertificate(block.Bytes); err == nil {
				k.chain = append(k.chain, c)
			}
		}
	}
	if err == nil && (k.private == nil || len(k.chain) == 0) {
		err = errors.New("no key, or no certificate")
	}
	if err == nil {
		err = k.check()
	}
	if err != nil {
		return nil, fmt.Errorf("debug key: %s: %w; remove the file to get a new key, and uninstall apps signed with the old one", path, err)
	}
	return k, nil
}

// makeDebugKey writes a new debug key. If another process does this at the same time, the key that
// was written first stays.
func makeDebugKey(path string) error {
	private, err := rsa.GenerateKey(rand.Reader, debugBits)
	if err != nil {
		return err
	}
	number, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 63))
	if err != nil {
		return err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: number, Subject: pkix.Name{CommonName: "diffprof debug"},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.AddDate(debugYears, 0, 0),
		SignatureAlgorithm: x509.SHA256WithRSA,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		if err = os.Link(f.Name(), path); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	return errors.Join(err, os.Remove(f.Name()))
}
