// Tells whether a webhook is genuine: go run ./verify-webhook < body
// WEBHOOK_ID, WEBHOOK_TIMESTAMP and WEBHOOK_SIGNATURE are its headers, WEBHOOK_SECRET is the secret.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

// isGenuine checks a webhook; body is the bytes as they arrived.
func isGenuine(body []byte, id, timestamp, signatures, secret string) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	key, err := hex.DecodeString(secret)
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// While a secret is rotated there are two signatures, with a blank between them.
	for _, one := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(one), []byte(expected)) {
			return true
		}
	}
	return false
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	header := os.Getenv
	if !isGenuine(body, header("WEBHOOK_ID"), header("WEBHOOK_TIMESTAMP"), header("WEBHOOK_SIGNATURE"), header("WEBHOOK_SECRET")) {
		fmt.Println("rejected")
		os.Exit(1)
	}
	fmt.Println("genuine")
}
