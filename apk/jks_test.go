package apk

import (
	"bytes"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pavlo-v-chernykh/keystore-go/v4"
)

// TestJKSWithoutTools reads keystores that a library writes, with every number of keys and
// certificates.
func TestJKSWithoutTools(t *testing.T) {
	key := ecKey(t)
	private, err := x509.MarshalPKCS8PrivateKey(key.private)
	if err != nil {
		t.Fatal(err)
	}
	other, err := x509.ParseCertificate(mustKey(t).chain[0].Raw)
	if err != nil {
		t.Fatal(err)
	}
	certificate := func(c *x509.Certificate) keystore.Certificate {
		return keystore.Certificate{Type: "X509", Content: c.Raw}
	}
	type entry struct {
		alias, password string
		private         []byte
		chain           []keystore.Certificate
	}
	own := certificate(key.chain[0])
	usual := entry{"first", "secret", private, []keystore.Certificate{own}}
	for name, c := range map[string]struct {
		entries  []entry
		trusted  bool
		password string
		want     string
	}{
		"one key":                    {[]entry{usual}, false, "secret", ""},
		"a key and a certificate":    {[]entry{usual}, true, "secret", ""},
		"a chain":                    {[]entry{{"first", "secret", private, []keystore.Certificate{own, certificate(other)}}}, false, "secret", ""},
		"another password":           {[]entry{usual}, false, "other", "the password is wrong"},
		"a key with its own":         {[]entry{{"first", "different", private, usual.chain}}, false, "secret", "the key first has another password than the keystore"},
		"no key":                     {nil, true, "secret", "the keystore has 0 keys, and must have one"},
		"two keys":                   {[]entry{usual, {"second", "secret", private, usual.chain}}, false, "secret", "has 2 keys, and must have one (first, second): copy one with keytool -importkeystore -srcalias first"},
		"no certificate":             {[]entry{{"first", "secret", private, nil}}, false, "secret", "the key first has no certificate"},
		"a damaged certificate":      {[]entry{{"first", "secret", private, []keystore.Certificate{{Type: "X509", Content: []byte("no")}}}}, false, "secret", "a certificate of the key first"},
		"no key inside":              {[]entry{{"first", "secret", []byte("no"), usual.chain}}, false, "secret", "the key first: "},
		"another key's certificate":  {[]entry{{"first", "secret", private, []keystore.Certificate{certificate(other)}}}, false, "secret", "the certificate belongs to another key"},
		"another keystore's version": {[]entry{usual}, false, "damage", "a damaged keystore"},
	} {
		store := keystore.New(keystore.WithOrderedAliases())
		for _, e := range c.entries {
			if err := store.SetPrivateKeyEntry(e.alias, keystore.PrivateKeyEntry{CreationTime: time.Unix(1, 0), PrivateKey: e.private, CertificateChain: e.chain}, []byte(e.password)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if c.trusted {
			if err := store.SetTrustedCertificateEntry("trusted", keystore.TrustedCertificateEntry{CreationTime: time.Unix(1, 0), Certificate: own}); err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		if err := store.Store(&b, []byte("secret")); err != nil {
			t.Fatal(err)
		}
		data, password := b.Bytes(), c.password
		if password == "damage" {
			data, password = data[:len(data)/2], "secret"
		}
		path := filepath.Join(t.TempDir(), "a.jks")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		k, err := ReadKey(path, password)
		switch {
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path+": ") {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case k.Fingerprint() != key.Fingerprint() || len(k.chain) != len(c.entries[0].chain):
			t.Errorf("%s: the key has %d certificates", name, len(k.chain))
		}
	}
	path := filepath.Join(t.TempDir(), "a.jceks")
	if err := os.WriteFile(path, append(bytes.Clone(jceksMagic), "rest"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadKey(path, "secret"); err == nil || !strings.Contains(err.Error(), "a keystore of the form JCEKS: convert it with keytool -importkeystore -srckeystore a.jceks -destkeystore a.jceks.p12") {
		t.Errorf("JCEKS: %v", err)
	}
}
