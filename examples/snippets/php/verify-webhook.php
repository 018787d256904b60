<?php
// Tells whether a webhook is genuine: php verify-webhook.php < body
// WEBHOOK_ID, WEBHOOK_TIMESTAMP and WEBHOOK_SIGNATURE are its headers, WEBHOOK_SECRET is the secret. Behind a web server
// the body is file_get_contents('php://input'), and the headers are $_SERVER['HTTP_WEBHOOK_ID'] and so on.
declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/** `$body` is the bytes as they arrived. */
function isGenuine(string $body, string $id, string $timestamp, string $signatures, string $secret): bool
{
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", hex2bin($secret), true));
    // While a secret is rotated there are two signatures, with a blank between them.
    foreach (explode(' ', $signatures) as $one) {
        if (hash_equals($expected, $one)) {
            return true;
        }
    }
    return false;
}

$headers = array_map(fn (string $name) => (string) getenv($name), ['WEBHOOK_ID', 'WEBHOOK_TIMESTAMP', 'WEBHOOK_SIGNATURE']);
$isGenuine = isGenuine(file_get_contents('php://stdin'), ...[...$headers, (string) getenv('WEBHOOK_SECRET')]);
echo $isGenuine ? "genuine\n" : "rejected\n";
exit($isGenuine ? 0 : 1);
