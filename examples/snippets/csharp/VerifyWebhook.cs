// Needs .NET 8 and no package.
using System.Security.Cryptography;
using System.Text;

static class BillhookWebhook
{
    const int ToleranceSeconds = 300;

    // Whether a webhook is genuine. `body` is the bytes as they arrived.
    public static bool IsGenuine(byte[] body, string id, string timestamp, string signatures, string secret)
    {
        if (!long.TryParse(timestamp, out var seconds)) return false;
        var now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        if (seconds < now - ToleranceSeconds || seconds > now + ToleranceSeconds) return false;

        var text = Encoding.UTF8.GetBytes($"{id}.{timestamp}.").Concat(body).ToArray();
        var mac = HMACSHA256.HashData(Convert.FromHexString(secret), text);
        var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(mac));
        // While a secret is rotated there are two signatures, with a blank between them.
        return signatures.Split(' ').Any(one => CryptographicOperations.FixedTimeEquals(expected, Encoding.UTF8.GetBytes(one)));
    }
}
