// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret shared by a proxy and the plugins of its brokers. Each side proves that it has the secret by an HMAC-SHA-256
 * over both sides' nonces. The secret is never sent, and a proof is valid for one connection only. Immutable,
 * thread-safe.
 *
 * <p>The proof names the sender's role and the target broker, which prevents reflection and relaying to another broker.
 * With TLS it also covers the broker's certificate, which makes a proof useless to a machine in the middle.
 */
public final class ControlSecret {
    /** Smallest length. A proof allows offline guessing of the secret; a random secret of this length resists it. */
    public static final int MIN_CHARS = 16;
    /** Digest of the certificate without TLS: no bytes. */
    public static final byte[] NO_CERTIFICATE = {};

    /** Role of the sender of a proof. */
    public enum Side {
        PROXY,
        BROKER
    }

    private static final String ALGORITHM = "HmacSHA256";
    private static final String LABEL = "slipstream control 1";
    private static final int NONCE_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SecretKeySpec key;

    private ControlSecret(byte[] bytes) {
        this.key = new SecretKeySpec(bytes, ALGORITHM);
    }

    /** @throws IllegalArgumentException if the text is too short; the message does not quote the text */
    public static ControlSecret of(String text) {
        String trimmed = text.strip();
        if (trimmed.length() < MIN_CHARS) {
            throw new IllegalArgumentException("must have at least " + MIN_CHARS + " characters, drawn at random");
        }
        return new ControlSecret(trimmed.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads the secret from a file and strips surrounding white space.
     *
     * @throws IllegalArgumentException if the file cannot be read or its text is too short
     */
    public static ControlSecret read(Path file) {
        try {
            return of(Files.readString(file));
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot be read: " + e, e);
        }
    }

    /** A new nonce in hexadecimal digits; each side draws one per connection. */
    public static String newNonce() {
        byte[] bytes = new byte[NONCE_BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    public static boolean isNonce(String text) {
        return text.length() == 2 * NONCE_BYTES && text.chars().allMatch(HexFormat::isHexDigit);
    }

    /**
     * The proof of one side, in hexadecimal digits.
     *
     * @param certificate digest of the certificate that the broker presented, see {@link #digest}
     */
    public String proof(
            Side side, String clusterId, int nodeId, String proxyNonce, String brokerNonce, byte[] certificate) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            for (String part : new String[] {LABEL, side.name(), clusterId, proxyNonce, brokerNonce}) {
                update(mac, part.getBytes(StandardCharsets.UTF_8));
            }
            update(mac, ByteBuffer.allocate(Integer.BYTES).putInt(nodeId).array());
            update(mac, certificate);
            return HexFormat.of().formatHex(mac.doFinal());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    /** Prefixes the part with its length, so that different lists of parts give different bytes. */
    private static void update(Mac mac, byte[] part) {
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).flip());
        mac.update(part);
    }

    /** Compares two proofs in constant time. */
    public static boolean isSame(String expected, String given) {
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.US_ASCII), given.getBytes(StandardCharsets.US_ASCII));
    }

    /** SHA-256 of the first certificate of a chain; {@link #NO_CERTIFICATE} if there is none. */
    public static byte[] digest(Certificate[] chain) {
        if (chain == null || chain.length == 0) {
            return NO_CERTIFICATE;
        }
        try {
            return MessageDigest.getInstance("SHA-256").digest(chain[0].getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a verified certificate cannot be encoded", e);
        }
    }

    @Override
    public String toString() {
        return "[hidden]";
    }

    /** Compares the secrets in constant time. */
    @Override
    public boolean equals(Object other) {
        return other instanceof ControlSecret secret
                && MessageDigest.isEqual(key.getEncoded(), secret.key.getEncoded());
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }
}
