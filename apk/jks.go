package apk

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"

	"github.com/pavlo-v-chernykh/keystore-go/v4"
)

// readJKS reads the key of a keystore in Java's older format, JKS. The key must have the same
// password as the keystore, as keytool proposes.
func readJKS(data []byte, password string) (k *Key, err error) {
	defer func() { // The library panics if an encrypted key has less than 40 bytes.
		if recover() != nil {
			k, err = nil, errors.New("a damaged keystore")
		}
	}()
	store := keystore.New(keystore.WithOrderedAliases())
	if err := store.Load(bytes.NewReader(data), []byte(password)); err != nil {
		if strings.Contains(err.Error(), "invalid digest") {
			return nil, errPassword
		}
		return nil, fmt.Errorf("a damaged keystore: %w", err)
	}
	var keys []string
	for _, alias := range store.Aliases() {
		if store.IsPrivateKeyEntry(alias) {
			keys = append(keys, alias)
		}
	}
	if len(keys) != 1 {
		return nil, fmt.Errorf("the keystore has %d keys, and must have one%s", len(keys), aliases(keys))
	}
	entry, err := store.GetPrivateKeyEntry(keys[0], []byte(password))
	if err != nil {
		return nil, fmt.Errorf("the key %s has another password than the keystore: give the key the password of the keystore with keytool -keypasswd", keys[0])
	}
	k = new(Key)
	private, err := x509.ParsePKCS8PrivateKey(entry.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("the key %s: %w", keys[0], err)
	}
	var ok bool
	if k.private, ok = private.(crypto.Signer); !ok {
		return nil, errSigner
	}
	for _, c := range entry.CertificateChain {
		certificate, err := x509.ParseCertificate(c.Content)
		if err != nil {
			return nil, fmt.Errorf("a certificate of the key %s: %w", keys[0], err)
		}
		k.chain = append(k.chain, certificate)
	}
	if len(k.chain) == 0 {
		return nil, fmt.Errorf("the key %s has no certificate", keys[0])
	}
	return k, nil
}

// aliases returns the end of an error message about several keys: their names, and advice.
func aliases(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s): copy one with keytool -importkeystore -srcalias %s", strings.Join(keys, ", "), keys[0])
}
