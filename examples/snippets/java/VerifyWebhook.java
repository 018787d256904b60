// Tells whether a webhook is genuine: java VerifyWebhook.java < body
// WEBHOOK_ID, WEBHOOK_TIMESTAMP and WEBHOOK_SIGNATURE are its headers, WEBHOOK_SECRET is the secret.
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class VerifyWebhook {
    static final long TOLERANCE_SECONDS = 300;

    public static void main(String[] args) throws Exception {
        var environment = System.getenv();
        var isGenuine = isGenuine(
            System.in.readAllBytes(),
            environment.getOrDefault("WEBHOOK_ID", ""),
            environment.getOrDefault("WEBHOOK_TIMESTAMP", ""),
            environment.getOrDefault("WEBHOOK_SIGNATURE", ""),
            environment.get("WEBHOOK_SECRET"));
        System.out.println(isGenuine ? "genuine" : "rejected");
        System.exit(isGenuine ? 0 : 1);
    }

    /** `body` is the bytes as they arrived. */
    static boolean isGenuine(byte[] body, String id, String timestamp, String signatures, String secret) throws Exception {
        if (!timestamp.matches("[0-9]{1,12}")) return false;
        var ageSeconds = System.currentTimeMillis() / 1000 - Long.parseLong(timestamp);
        if (Math.abs(ageSeconds) > TOLERANCE_SECONDS) return false;

        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(HexFormat.of().parseHex(secret), "HmacSHA256"));
        mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
        var expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
        // While a secret is rotated there are two signatures, with a blank between them.
        for (var one : signatures.split(" ")) {
            if (MessageDigest.isEqual(expected, one.getBytes(StandardCharsets.UTF_8))) return true;
        }
        return false;
    }
}
