// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.proxy.live.LivePage;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;

/** Fetches the {@code /top} page of a proxy. */
final class PageSource {
    private static final int TIMEOUT_MS = 5_000;
    private static final int MOST_BYTES = 16 << 20;
    private static final String PATH = "/top";

    /** A newer proxy may send additional fields. */
    private final ObjectMapper mapper =
            new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);

    private final URL url;

    /** @throws IllegalArgumentException if the text is not the URL of a management port */
    PageSource(String managementUrl) {
        try {
            URI uri = URI.create(managementUrl.replaceAll("/+$", "") + PATH);
            if (!"http".equals(uri.getScheme()) && !"https".equals(uri.getScheme()) || uri.getHost() == null) {
                throw new IllegalArgumentException("not of the form http://127.0.0.1:9091: " + managementUrl);
            }
            url = uri.toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** @throws IOException with a message for the user */
    LivePage get() throws IOException {
        int status;
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        connection.setConnectTimeout(TIMEOUT_MS);
        connection.setReadTimeout(TIMEOUT_MS);
        try {
            status = connection.getResponseCode();
        } catch (IOException e) {
            throw new IOException(
                    url + " does not answer (" + e.getMessage()
                            + "); is a proxy running there, and is this its management port (--url, management.port)?",
                    e);
        }
        if (status != HttpURLConnection.HTTP_OK) {
            throw new IOException(url + " answers with status " + status
                    + "; this is not a management port of a Slipstream proxy, or the proxy is older");
        }
        try (InputStream body = connection.getInputStream()) {
            return mapper.readValue(body.readNBytes(MOST_BYTES), LivePage.class);
        } catch (IOException e) {
            throw new IOException(url + " answers with content that is not a proxy's page: " + e.getMessage(), e);
        }
    }
}
