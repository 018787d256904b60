<?php
// Creates an invoice: php create-invoice.php WALLET_ID AMOUNT
// Needs the extension openssl. The key is in api-key.pem, or in the file that API_KEY_FILE names.
declare(strict_types=1);

function signedHeaders(OpenSSLAsymmetricKey $privateKey, string $body): array
{
    $timestamp = (string) (int) (microtime(true) * 1000);
    openssl_sign("POST /api/invoices\n$timestamp\n$body", $signature, $privateKey, OPENSSL_ALGO_SHA256);
    return [
        'Content-Type: application/json',
        'X-Service-Api-Key: ' . publicKeyHex($privateKey),
        "X-Service-Timestamp: $timestamp",
        'X-Service-Signature: ' . base64_encode($signature),
    ];
}

/** The compressed public key, 66 hex digits. */
function publicKeyHex(OpenSSLAsymmetricKey $privateKey): string
{
    ['x' => $x, 'y' => $y] = openssl_pkey_get_details($privateKey)['ec'];
    $prefix = (ord($y[-1]) & 1) === 1 ? '03' : '02';
    return $prefix . str_pad(bin2hex($x), 64, '0', STR_PAD_LEFT);
}

[, $walletId, $amount] = $argv;
$privateKey = openssl_pkey_get_private(file_get_contents(getenv('API_KEY_FILE') ?: 'api-key.pem'));
$body = json_encode([
    'walletIds' => [$walletId],
    'name' => 'Tea set',
    'amount' => $amount,
    'currency' => 'USDT',
    'reference' => 'order-1001-' . bin2hex(random_bytes(8)),
]);
$answer = file_get_contents((getenv('BASE_URL') ?: 'http://127.0.0.1:8080') . '/api/invoices', false, stream_context_create([
    'http' => ['method' => 'POST', 'header' => signedHeaders($privateKey, $body), 'content' => $body, 'timeout' => 10],
]));
echo $answer, "\n";
exit($answer === false ? 1 : 0);
