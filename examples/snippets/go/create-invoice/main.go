// Creates an invoice: go run ./create-invoice WALLET_ID AMOUNT
// The standard library has no secp256k1. The key is in api-key.pem, or in the file that API_KEY_FILE names, as PKCS #8.
package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

func main() {
	privateKey, err := readKey(setting("API_KEY_FILE", "api-key.pem"))
	if err != nil {
		log.Fatal(err)
	}
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		log.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{
		"walletIds": []string{os.Args[1]},
		"name":      "Tea set",
		"amount":    os.Args[2],
		"currency":  "USDT",
		"reference": "order-1001-" + hex.EncodeToString(random),
	})
	if err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest("POST", setting("BASE_URL", "http://127.0.0.1:8080")+"/api/invoices", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	sign(request, privateKey, body)
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	fmt.Println(string(answer))
	if response.StatusCode != http.StatusCreated {
		os.Exit(1)
	}
}

func sign(request *http.Request, privateKey *secp256k1.PrivateKey, body []byte) {
	timestamp := fmt.Sprint(time.Now().UnixMilli())
	digest := sha256.Sum256(append([]byte("POST /api/invoices\n"+timestamp+"\n"), body...))
	signature := ecdsa.Sign(privateKey, digest[:]).Serialize() // DER
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Service-Api-Key", hex.EncodeToString(privateKey.PubKey().SerializeCompressed()))
	request.Header.Set("X-Service-Timestamp", timestamp)
	request.Header.Set("X-Service-Signature", base64.StdEncoding.EncodeToString(signature))
}

// readKey reads PKCS #8 (RFC 5208) around an ECPrivateKey (RFC 5915); crypto/x509 knows only the curves of NIST.
func readKey(file string) (*secp256k1.PrivateKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, errors.New(file + " holds no private key as PKCS #8")
	}
	var outer struct {
		Version   int
		Algorithm pkix.AlgorithmIdentifier
		Key       []byte
	}
	var inner struct {
		Version int
		Key     []byte
		Curve   asn1.ObjectIdentifier `asn1:"optional,explicit,tag:0"`
		Public  asn1.BitString        `asn1:"optional,explicit,tag:1"`
	}
	if _, err := asn1.Unmarshal(block.Bytes, &outer); err != nil {
		return nil, err
	}
	if _, err := asn1.Unmarshal(outer.Key, &inner); err != nil {
		return nil, err
	}
	return secp256k1.PrivKeyFromBytes(inner.Key), nil
}

func setting(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}
