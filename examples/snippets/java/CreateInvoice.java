// Creates an invoice: java -cp bcprov.jar CreateInvoice.java WALLET_ID AMOUNT
// Needs Bouncy Castle (bcprov): Java 16 and later have no secp256k1 of their own. The key is in api-key.pem, or in the file
// that API_KEY_FILE names, as PKCS #8.
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import org.bouncycastle.jce.ECNamedCurveTable;
import org.bouncycastle.jce.provider.BouncyCastleProvider;

class CreateInvoice {
    static final BouncyCastleProvider BC = new BouncyCastleProvider();

    public static void main(String[] args) throws Exception {
        var environment = System.getenv();
        var privateKey = readKey(Path.of(environment.getOrDefault("API_KEY_FILE", "api-key.pem")));
        var reference = "order-1001-" + new BigInteger(64, new SecureRandom()).toString(16);
        var body = """
            {"walletIds":["%s"],"name":"Tea set","amount":"%s","currency":"USDT","reference":"%s"}"""
            .formatted(args[0], args[1], reference);

        var timestamp = Long.toString(System.currentTimeMillis());
        var request = HttpRequest.newBuilder(URI.create(environment.getOrDefault("BASE_URL", "http://127.0.0.1:8080") + "/api/invoices"))
            .version(HttpClient.Version.HTTP_1_1)
            .timeout(Duration.ofSeconds(10))
            .header("Content-Type", "application/json")
            .header("X-Service-Api-Key", publicKeyHex(privateKey))
            .header("X-Service-Timestamp", timestamp)
            .header("X-Service-Signature", sign(privateKey, "POST /api/invoices\n" + timestamp + "\n" + body))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        System.out.println(response.body());
        System.exit(response.statusCode() == 201 ? 0 : 1);
    }

    static ECPrivateKey readKey(Path pem) throws Exception {
        var base64 = Files.readString(pem).replaceAll("-----[^-]+-----|\\s", "");
        var encoded = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64));
        return (ECPrivateKey) KeyFactory.getInstance("EC", BC).generatePrivate(encoded);
    }

    /** Base64 of the DER signature of the SHA-256 of the text. */
    static String sign(ECPrivateKey privateKey, String text) throws Exception {
        var signature = Signature.getInstance("SHA256withECDSA", BC);
        signature.initSign(privateKey);
        signature.update(text.getBytes(StandardCharsets.UTF_8));
        return Base64.getEncoder().encodeToString(signature.sign());
    }

    /** The compressed public key, 66 hex digits. */
    static String publicKeyHex(ECPrivateKey privateKey) {
        var curve = ECNamedCurveTable.getParameterSpec("secp256k1");
        return HexFormat.of().formatHex(curve.getG().multiply(privateKey.getS()).getEncoded(true));
    }
}
