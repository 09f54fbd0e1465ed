// Sends bodies by net/http: `send <1|2>` for the version of HTTP, requests on standard input, what came of each on
// standard output: a status, or an error.
package main

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

type asked struct {
	Method  string
	URL     string
	Headers map[string]string
	Size    int
	Chunked bool
	Expect  bool
}

func send(client *http.Client, request asked) any {
	var body io.Reader = bytes.NewReader(make([]byte, request.Size))
	if request.Chunked {
		body = io.MultiReader(body)
	}
	made, err := http.NewRequest(request.Method, request.URL, body)
	if err != nil {
		return err.Error()
	}
	for name, value := range request.Headers {
		made.Header.Set(name, value)
	}
	if request.Expect {
		made.Header.Set("Expect", "100-continue")
	}
	answer, err := client.Do(made)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	if _, err := io.ReadAll(answer.Body); err != nil {
		return err.Error()
	}
	if answer.TLS != nil && fmt.Sprint(answer.ProtoMajor) != os.Args[1] {
		return answer.Proto
	}
	return answer.StatusCode
}

func main() {
	var given struct{ Requests []asked }
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	transport := &http.Transport{ForceAttemptHTTP2: os.Args[1] == "2", ExpectContinueTimeout: 2 * time.Second}
	if os.Args[1] == "1" {
		transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	}
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	came := []any{}
	for _, request := range given.Requests {
		came = append(came, send(client, request))
	}
	json.NewEncoder(os.Stdout).Encode(came)
}
