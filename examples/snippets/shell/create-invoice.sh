#!/bin/sh
# Creates an invoice: sh create-invoice.sh WALLET_ID AMOUNT
# Needs curl and openssl. The key is in api-key.pem, or in the file that API_KEY_FILE names.
set -eu
key=${API_KEY_FILE:-api-key.pem}
body=$(printf '{"walletIds":["%s"],"name":"Tea set","amount":"%s","currency":"USDT","reference":"order-1001-%s"}' \
  "$1" "$2" "$(openssl rand -hex 8)")

# The compressed public key, 66 hex digits.
public_key=$(openssl ec -in "$key" -pubout -conv_form compressed -outform DER 2>/dev/null | tail -c 33 | od -An -v -t x1 | tr -d ' \n')
timestamp=$(date +%s)000
signature=$(printf 'POST /api/invoices\n%s\n%s' "$timestamp" "$body" | openssl dgst -sha256 -sign "$key" | openssl base64 -A)

curl --silent --show-error --fail-with-body --max-time 10 "${BASE_URL:-http://127.0.0.1:8080}/api/invoices" \
  --data-raw "$body" -H 'Content-Type: application/json' \
  -H "X-Service-Api-Key: $public_key" -H "X-Service-Timestamp: $timestamp" -H "X-Service-Signature: $signature"
