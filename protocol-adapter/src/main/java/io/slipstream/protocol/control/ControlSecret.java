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
 * A secret that a proxy and the plugins of its brokers share, and by which each shows the other that it is one of them:
 * HMAC-SHA-256 over both sides' nonces, so that the secret itself never travels and no proof is good twice. Immutable,
 * any thread.
 *
 * <p>A proof also names its side, so that none can be sent back to whom it came from, and the broker that is meant, so
 * that a broker cannot pass a proxy on to another one. With TLS it covers the broker's certificate: a proof that
 * somebody between the two was given is no good for him.
 */
public final class ControlSecret {
    /**
     * Who sees a proof can guess at the secret behind it, as fast as he can compute; of a random one this many
     * characters are too many to guess.
     */
    public static final int MIN_CHARS = 16;
    /** No certificate, without TLS. */
    public static final byte[] NO_CERTIFICATE = {};

    /** Whose proof it is. */
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

    /** Throws IllegalArgumentException, which does not quote the text, if it is too short. */
    public static ControlSecret of(String text) {
        String trimmed = text.strip();
        if (trimmed.length() < MIN_CHARS) {
            throw new IllegalArgumentException("must have at least " + MIN_CHARS + " characters, drawn at random");
        }
        return new ControlSecret(trimmed.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The text of a file, without white space around it. Throws IllegalArgumentException naming the file if it cannot
     * be read or is too short.
     */
    public static ControlSecret read(Path file) {
        try {
            return of(Files.readString(file));
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot be read: " + e, e);
        }
    }

    /** Of one side, for one connection. */
    public static String newNonce() {
        byte[] bytes = new byte[NONCE_BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    public static boolean isNonce(String text) {
        return text.length() == 2 * NONCE_BYTES && text.chars().allMatch(HexFormat::isHexDigit);
    }

    /**
     * What one side shows the other, in hexadecimal digits.
     *
     * @param certificate digest of the certificate that the broker showed, see {@link #digest}
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

    /** With its length, so that no two lists of parts are the same bytes. */
    private static void update(Mac mac, byte[] part) {
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).flip());
        mac.update(part);
    }

    /** Whether a proof is the expected one, in a time that does not tell how much of it is right. */
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
            throw new IllegalStateException("a certificate that was verified can be encoded", e);
        }
    }

    @Override
    public String toString() {
        return "[hidden]";
    }

    /** Whether it is the same secret; takes as long whatever the difference is. */
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
