// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;

/**
 * A page of an HTTP port.
 *
 * @param from what serves the page, for messages: {@code a proxy}
 * @param port what the port is called, and its option and key
 */
record HttpPage(URL url, String from, String port) {
    private static final int TIMEOUT_MS = 5_000;
    private static final int MOST_BYTES = 16 << 20;

    /** @throws IllegalArgumentException if the text is not the URL of a port */
    static HttpPage at(String portUrl, String path, String from, String port) {
        try {
            URI uri = URI.create(portUrl.replaceAll("/+$", "") + path);
            if (!"http".equals(uri.getScheme()) && !"https".equals(uri.getScheme()) || uri.getHost() == null) {
                throw new IllegalArgumentException("not of the form http://127.0.0.1:9091: " + portUrl);
            }
            return new HttpPage(uri.toURL(), from, port);
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** Host and port. */
    String address() {
        return url.getAuthority();
    }

    /** @throws IOException with a message for the user */
    byte[] get() throws IOException {
        int status;
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        connection.setConnectTimeout(TIMEOUT_MS);
        connection.setReadTimeout(TIMEOUT_MS);
        try {
            status = connection.getResponseCode();
        } catch (IOException e) {
            throw new IOException(
                    url + " does not answer (" + e.getMessage() + "); is " + from + " running there, and is this its "
                            + port + "?",
                    e);
        }
        if (status != HttpURLConnection.HTTP_OK) {
            throw new IOException(url + " answers with status " + status + "; this is not a " + port + " of Slipstream,"
                    + " or " + from + " is older");
        }
        try (InputStream body = connection.getInputStream()) {
            return body.readNBytes(MOST_BYTES);
        }
    }

    /** A page that cannot be understood. */
    IOException notOurs(Exception cause) {
        return new IOException(
                url + " answers with content that is not the page of " + from + ": " + cause.getMessage(), cause);
    }
}
