package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
)

// Whether these very bytes were signed with our secret. Equal or not, the comparison takes the same time.
func isGenuine(body []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(os.Getenv("WEBHOOK_SECRET")))
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(signature))
}

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body) // raw: before anything parses it
	if err != nil || !isGenuine(body, r.Header.Get("X-Service-Signature")) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var delivery struct{ Event string }
	if json.Unmarshal(body, &delivery) == nil {
		log.Println(delivery.Event, "arrived") // put it into a queue of yours, and answer
	}
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(receive)))
}
