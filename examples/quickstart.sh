#!/usr/bin/env bash
# The complete path on one machine: from a fresh identity to a paid order of 25.00 EUR and its two signed webhooks.
#
#   npm start                          in one terminal: the service with its sandbox
#   bash examples/quickstart.sh        in another; BASE_URL=... when the service is not at http://127.0.0.1:8080
#
# Needs bash, curl and openssl, and Node for the webhook receiver (examples/receiver.mjs). The service must be able to
# reach the receiver, which listens on 127.0.0.1: run both on the same machine. Ends with 0 when every answer was as
# expected, else with 1 and the reason.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]:-examples/quickstart.sh}")/.."

BASE_URL=${BASE_URL:-http://127.0.0.1:8080}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/billhook.XXXXXX")
RECEIVER_PID=

clean_up() {
  if [ -n "$RECEIVER_PID" ]; then kill "$RECEIVER_PID" 2>/dev/null || true; fi
  rm -rf "$WORK"
}
trap clean_up EXIT

step() { printf '\n== %s. %s\n' "$1" "$2"; }

fail() {
  printf 'quickstart: %s\n' "$*" >&2
  exit 1
}

# request METHOD URL [BODY [HEADER]...]: sends a request, shows it, and leaves what came back in STATUS and ANSWER.
request() {
  local method=$1 url=$2 body=${3:-} header
  local arguments=(--silent --show-error --max-time 10 --request "$method")
  shift "$(($# < 3 ? $# : 3))"
  printf '%s %s\n' "$method" "${url#"$BASE_URL"}"
  for header in "$@"; do
    printf '%s\n' "$header"
    arguments+=(--header "$header")
  done
  if [ -n "$body" ]; then
    printf '%s\n' "$body"
    arguments+=(--header 'Content-Type: application/json' --data-raw "$body")
  fi
  : >"$WORK/answer"
  STATUS=$(curl "${arguments[@]}" --output "$WORK/answer" --write-out '%{http_code}' "$url") ||
    fail "no answer from $url; is the service running there (npm start)?"
  ANSWER=$(cat "$WORK/answer")
  printf -- '-> %s %s\n' "$STATUS" "$ANSWER"
}

# expect STATUS [TEXT]: ends the script unless the last answer had the status, and the text in it.
expect() {
  [ "$STATUS" = "$1" ] || fail "expected status $1, got $STATUS"
  case "$ANSWER" in *"${2:-}"*) ;; *) fail "expected an answer with $2" ;; esac
}

# wait_for TEXT URL: reads the URL until the answer has the text, for about ten seconds, and shows the last answer.
wait_for() {
  local tries
  for ((tries = 0; tries < 100; tries++)); do
    request GET "$2" >"$WORK/shown"
    case "$ANSWER" in *"$1"*) break ;; esac
    sleep 0.1
  done
  cat "$WORK/shown"
  expect 200 "$1"
}

# text_of NAME [NUMBER]: the first string of that name in the last answer, or another. Enough for ids and hex, which have no escapes.
text_of() {
  printf '%s' "$ANSWER" | grep -o "\"$1\":\"[^\"]*\"" | sed -n "${2:-1}"'s/^"[^"]*":"\(.*\)"$/\1/p'
}

# new_key FILE: makes a secp256k1 key pair.
new_key() { openssl ecparam -name secp256k1 -genkey -noout -out "$1"; }

# public_key FILE: the compressed public key, 66 hex digits.
public_key() {
  openssl ec -in "$1" -pubout -conv_form compressed -outform DER 2>/dev/null | tail -c 33 | od -An -v -t x1 | tr -d ' \n'
}

# sign FILE: base64 of the DER signature, by the key in the file, over the SHA-256 of standard input.
sign() { openssl dgst -sha256 -sign "$1" | openssl base64 -A; }

step 1 'Where is the ledger?'
request GET "$BASE_URL/sandbox"
expect 200
NODE_URL=$(text_of nodeUrl)
NAMESPACE=$(text_of namespace)
ONBOARD=$(text_of onboard)
ASSIGN_OWNER=$(text_of assignOwner)
ONBOARDING_NAME=$(text_of onboardingName)

step 2 'Onboard an identity at the ledger'
new_key "$WORK/identity.pem"
IDENTITY_KEY=0x$(public_key "$WORK/identity.pem")
# The id of an identity is known before it exists: SHA-256 of its public key and the onboarding name.
IDENTITY=$(printf '%s%s' "$IDENTITY_KEY" "$ONBOARDING_NAME" | openssl dgst -sha256 -r | cut -c 1-64)
request GET "$BASE_URL/api/identity/$IDENTITY/exists"
expect 200 '"exists":false'
TX='{"$contract":"'$ONBOARD'","$namespace":"'$NAMESPACE'","$i":{"otk":{"publicKey":"'$IDENTITY_KEY'","type":"secp256k1"}}}'
SIGNATURE=$(printf '%s' "$TX" | sign "$WORK/identity.pem")
request POST "$NODE_URL/" '{"$selfsign":true,"$sigs":{"otk":"'$SIGNATURE'"},"$tx":'$TX'}'
expect 200 '"new":[{"id":"'$IDENTITY'"'
wait_for '"exists":true' "$BASE_URL/api/identity/$IDENTITY/exists"

step 3 'Claim a wallet on each network'
request GET "$BASE_URL/api/wallets/claim/niles/trx"
expect 200
TRX_WALLET=$(text_of id)
request GET "$BASE_URL/api/wallets/claim/sep/eth"
expect 200
SEP_WALLET=$(text_of id)

step 4 'Assign both wallets to the identity at the ledger'
for WALLET in "$TRX_WALLET" "$SEP_WALLET"; do
  TX='{"$contract":"'$ASSIGN_OWNER'","$namespace":"'$NAMESPACE'","$i":{"owner":{"$stream":"'$IDENTITY'","personal":true}},"$o":{"wallet":{"$stream":"'$WALLET'"}}}'
  SIGNATURE=$(printf '%s' "$TX" | sign "$WORK/identity.pem")
  request POST "$NODE_URL/" '{"$sigs":{"'$IDENTITY'":"'$SIGNATURE'"},"$tx":'$TX'}'
  expect 200 '"updated":[{"id":"'$WALLET'"'
done

step 5 'Wait until the service knows the owner'
wait_for "\"id\":\"$SEP_WALLET\"" "$BASE_URL/api/users/$IDENTITY/wallets"
wait_for "\"id\":\"$TRX_WALLET\"" "$BASE_URL/api/users/$IDENTITY/wallets"

step 6 'Register an API key'
new_key "$WORK/api-key.pem"
API_KEY=$(public_key "$WORK/api-key.pem")
request POST "$BASE_URL/api/api-keys" \
  '{"owner":"'$IDENTITY'","label":"quickstart","publicKey":"'$API_KEY'","permissions":["invoices:create"],"ttlDays":1}'
expect 201
API_KEY_ID=$(text_of id)

step 7 'Start a webhook receiver and tell the service about it'
node examples/receiver.mjs "$WORK/secret" >"$WORK/receiver.log" 2>&1 &
RECEIVER_PID=$!
RECEIVER_URL=
for ((tries = 0; tries < 100 && ${#RECEIVER_URL} == 0; tries++)); do
  sleep 0.1
  RECEIVER_URL=$(sed -n 's/^listening on //p' "$WORK/receiver.log")
done
[ -n "$RECEIVER_URL" ] || fail 'the webhook receiver did not start'
request PUT "$BASE_URL/api/users/$IDENTITY/webhook" '{"callbackUrl":"'$RECEIVER_URL'"}'
expect 200
text_of secret >"$WORK/secret"

step 8 'Create an order of 25.00 EUR with a signed request'
# post_signed PATH BODY [OTHER_BODY]: signs the body, and sends it or the other one.
post_signed() {
  local timestamp signature
  timestamp=$(date +%s)000
  signature=$(printf 'POST %s\n%s\n%s' "$1" "$timestamp" "$2" | sign "$WORK/api-key.pem")
  request POST "$BASE_URL$1" "${3:-$2}" \
    "X-Service-Api-Key: $API_KEY" "X-Service-Timestamp: $timestamp" "X-Service-Signature: $signature"
}
REFERENCE=order-$(openssl rand -hex 4)
# The payer chooses: USDT on either network, or ether.
OPTIONS='[{"walletIds":["'$TRX_WALLET'","'$SEP_WALLET'"],"currency":"USDT"},{"walletIds":["'$SEP_WALLET'"],"currency":"native"}]'
order_of() { printf '{"price":{"amount":"%s","currency":"EUR"},"options":%s,"name":"Tea set","reference":"%s"}' "$1" "$OPTIONS" "$REFERENCE"; }
post_signed /api/orders "$(order_of 25.00)"
expect 201
ORDER_ID=$(text_of id)
PAY_PATH=$(text_of url)
# The amounts follow from the rates of this moment. The first option is in USDT.
INVOICE_ID=$(text_of id 2)
USDT=$(text_of amount)

step 9 'A body that was changed on its way is refused'
post_signed /api/orders "$(order_of 25.00)" "$(order_of 0.01)"
expect 401 'Invalid signature.'

step 10 'A second unpaid invoice for the same amount is refused'
post_signed /api/invoices '{"walletIds":["'$SEP_WALLET'"],"name":"Another tea set","amount":"'$USDT'","currency":"USDT"}'
expect 409 'already exists on this wallet'

step 11 'The order is unpaid'
request GET "$BASE_URL/api/orders/$ORDER_ID"
expect 200 '"status":"unpaid","paid_fraction":"0.000000000000000000"'

step 12 'Pay it in USDT with a simulated deposit'
request POST "$BASE_URL/sandbox/deposits" '{"invoiceId":"'$INVOICE_ID'"}'
expect 200

step 13 'Two webhooks arrive, both signed'
for STATUS_SEEN in pending confirmed; do
  for ((tries = 0; tries < 100; tries++)); do
    if grep -q "^verified $STATUS_SEEN .*\"$REFERENCE/1\"" "$WORK/receiver.log"; then break; fi
    sleep 0.1
  done
  grep "^verified $STATUS_SEEN .*\"$REFERENCE/1\"" "$WORK/receiver.log" || fail "no $STATUS_SEEN webhook was verified"
done

step 14 'The order is paid'
request GET "$BASE_URL/api/orders/$ORDER_ID"
expect 200 '"status":"paid","paid_fraction":"1.000000000000000000"'

step 15 'The payment page says so too'
PAGE_STATUS=$(curl --silent --show-error --max-time 10 --output "$WORK/page" --write-out '%{http_code}' "$BASE_URL$PAY_PATH")
[ "$PAGE_STATUS" = 200 ] || fail "expected status 200 of the payment page, got $PAGE_STATUS"
grep -q 'Paid. Nothing more is due.' "$WORK/page" || fail 'the payment page does not say that the order is paid'
echo "$BASE_URL$PAY_PATH"

step 16 'A revoked key is refused'
request POST "$BASE_URL/api/api-keys/$API_KEY_ID/revoke" '{"owner":"'$IDENTITY'"}'
expect 200
post_signed /api/orders "$(order_of 30.00)"
expect 401 'This API key has been revoked.'

printf '\nEverything was as expected.\n'
