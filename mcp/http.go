package mcp

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
)

// requireToken rejects three kinds of requests: without the token, for another host than this
// machine, and from web pages of other sites. A page in a browser can send requests to this
// machine, under any name that resolves to it, but it cannot read the token.
func requireToken(next http.Handler, token string) http.Handler {
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !isLocal(r.Host):
			http.Error(w, "diffprof serves this machine only: use 127.0.0.1 as the host", http.StatusForbidden)
		case !isLocalOrigin(r.Header["Origin"]):
			http.Error(w, "diffprof serves no pages of other sites", http.StatusForbidden)
		case subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the header Authorization: Bearer TOKEN with the token that diffprof printed", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isLocal reports whether a host, with or without a port, is this machine.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if len(host) > 1 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// isLocalOrigin reports whether a request comes from a program, or from a page of this machine.
// Programs send no Origin header.
func isLocalOrigin(origins []string) bool {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || !isLocal(u.Host) {
			return false
		}
	}
	return true
}
