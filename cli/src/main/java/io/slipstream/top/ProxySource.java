// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.proxy.live.LivePage;
import java.io.IOException;

/** Watches a proxy by its {@code /top} page. */
final class ProxySource implements ViewSource {
    /** A newer proxy may send additional fields. */
    private final ObjectMapper mapper =
            new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);

    private final HttpPage page;
    /** Null before the first page. */
    private LivePage last;

    /** @throws IllegalArgumentException if the text is not the URL of a management port */
    ProxySource(String managementUrl) {
        page = HttpPage.at(managementUrl, "/top", "a proxy", "management port (--url, management.port)");
    }

    @Override
    public TopView next() throws IOException {
        LivePage before = last;
        byte[] body = page.get();
        try {
            last = mapper.readValue(body, LivePage.class);
        } catch (IOException e) {
            throw page.notOurs(e);
        }
        return before == null ? null : TopView.between(before, last);
    }
}
