// Creates an invoice. Needs .NET 8 and no package. The key is in api-key.pem.
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

using var key = ECDsa.Create();
key.ImportFromPem(File.ReadAllText("api-key.pem"));
var body = JsonSerializer.Serialize(new
{
    walletIds = new[] { args[0] },
    name = "Tea set",
    amount = args[1],
    currency = "USDT",
    reference = "order-1001-" + Convert.ToHexString(RandomNumberGenerator.GetBytes(8)).ToLowerInvariant(),
});

using var client = new HttpClient { BaseAddress = new Uri("http://127.0.0.1:8080"), Timeout = TimeSpan.FromSeconds(10) };
using var request = SignedRequest(key, body);
using var response = await client.SendAsync(request);
Console.WriteLine(await response.Content.ReadAsStringAsync());
return response.IsSuccessStatusCode ? 0 : 1;

static HttpRequestMessage SignedRequest(ECDsa key, string body)
{
    var timestamp = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds().ToString();
    var text = Encoding.UTF8.GetBytes($"POST /api/invoices\n{timestamp}\n{body}");
    // Without the format, .NET gives r and s, 64 bytes, which the service does not take.
    var signature = key.SignData(text, HashAlgorithmName.SHA256, DSASignatureFormat.Rfc3279DerSequence);
    var request = new HttpRequestMessage(HttpMethod.Post, "/api/invoices")
    {
        Content = new StringContent(body, Encoding.UTF8, "application/json"),
    };
    request.Headers.Add("X-Service-Api-Key", PublicKeyHex(key));
    request.Headers.Add("X-Service-Timestamp", timestamp);
    request.Headers.Add("X-Service-Signature", Convert.ToBase64String(signature));
    return request;
}

// The compressed public key, 66 hex digits.
static string PublicKeyHex(ECDsa key)
{
    var point = key.ExportParameters(false).Q;
    var prefix = (point.Y![^1] & 1) == 1 ? "03" : "02";
    return prefix + Convert.ToHexString(point.X!).ToLowerInvariant();
}
