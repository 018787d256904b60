#!/bin/sh
# Tells whether a webhook is genuine: sh verify-webhook.sh < body
# WEBHOOK_ID, WEBHOOK_TIMESTAMP and WEBHOOK_SIGNATURE are its headers, WEBHOOK_SECRET is the secret.
# Good for trials: a shell does not compare in constant time, and `ps` shows the secret while openssl runs.
set -eu
case $WEBHOOK_TIMESTAMP in '' | *[!0-9]*) echo rejected && exit 1 ;; esac
age=$(($(date +%s) - WEBHOOK_TIMESTAMP))
if [ "$age" -gt 300 ] || [ "$age" -lt -300 ]; then echo rejected && exit 1; fi

expected=$({ printf '%s.%s.' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP" && cat; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$WEBHOOK_SECRET" -binary | openssl base64 -A)
# While a secret is rotated there are two signatures, with a blank between them.
case " $WEBHOOK_SIGNATURE " in
  *" v1,$expected "*) echo genuine ;;
  *) echo rejected && exit 1 ;;
esac
