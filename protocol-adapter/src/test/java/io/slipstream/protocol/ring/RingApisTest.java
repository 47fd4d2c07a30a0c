// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.address.ResponseRewriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.message.ApiMessageType.ListenerType;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

/** Compares the table with Kafka's message definitions and with docs/protocol.md. */
class RingApisTest {
    private static final Path DOCS = Path.of("../docs/protocol.md");

    /** They carry records, so they are worth a session, although they name leaders. */
    private static final Set<ApiKeys> RECORDS =
            EnumSet.of(ApiKeys.PRODUCE, ApiKeys.SHARE_FETCH, ApiKeys.SHARE_ACKNOWLEDGE);

    private static List<ApiKeys> ofClients() {
        return Arrays.stream(ApiKeys.values())
                .filter(api -> api.inScope(ListenerType.BROKER) && !api.clusterAction)
                .toList();
    }

    /** Versions that the ring carries, as in the docs; null for none. */
    private static String carried(ApiKeys api) {
        int oldest = -1;
        int newest = -1;
        for (short version = 0; version <= api.latestVersion(); version++) {
            if (RingApis.carries(api.id, version)) {
                oldest = oldest < 0 ? version : oldest;
                newest = version;
            }
        }
        return newest < 0 ? null : oldest == newest ? "" + oldest : oldest + " to " + newest;
    }

    @Test
    void shouldCarryOnlyKnownVersionsOfClients() {
        for (ApiKeys api : ApiKeys.values()) {
            for (short version = 0; version <= 30; version++) {
                if (RingApis.carries(api.id, version)) {
                    assertThat(ofClients()).contains(api);
                    assertThat(version).as("%s", api).isBetween(api.oldestVersion(), api.latestVersion());
                }
            }
        }
        assertThat(RingApis.carries((short) -1, (short) 0)).isFalse();
        assertThat(RingApis.carries((short) 999, (short) 0)).isFalse();
    }

    /** They make a connection, and Fetch reads by itself. */
    @Test
    void shouldLeaveOnlyTheseApisToTcp() {
        assertThat(ofClients().stream().filter(api -> carried(api) == null))
                .containsExactlyInAnyOrder(
                        ApiKeys.FETCH, ApiKeys.SASL_HANDSHAKE, ApiKeys.SASL_AUTHENTICATE, ApiKeys.API_VERSIONS);
    }

    /** A client's Fetch reads by itself; a follower's travels in the ring. */
    @Test
    void shouldCarryFetchesOfFollowersOnly() {
        for (short version = 0; version <= ApiKeys.FETCH.latestVersion(); version++) {
            assertThat(RingApis.mayCarry(ApiKeys.FETCH.id, version))
                    .as("version %d", version)
                    .isEqualTo(version >= 12);
            assertThat(RingApis.carries(ApiKeys.FETCH.id, version)).isFalse();
        }
    }

    /** A connection that only looks for brokers or administers is not worth a session. */
    @Test
    void shouldBindNoConnectionForAdministration() {
        for (ApiKeys api : ofClients()) {
            boolean namesBrokers = ResponseRewriter.isRewritten(api.id, api.latestVersion());
            if (carried(api) != null && !RECORDS.contains(api) && (api.forwardable || namesBrokers)) {
                assertThat(RingApis.opens(api.id)).as("%s", api).isFalse();
            }
        }
    }

    @Test
    void shouldKnowTheHeaderOfEachVersion() {
        for (ApiKeys api : ApiKeys.values()) {
            for (short version = api.oldestVersion(); version <= api.latestVersion(); version++) {
                if (RingApis.mayCarry(api.id, version)) {
                    assertThat(RingApis.isFlexible(api.id, version))
                            .as("%s version %s", api, version)
                            .isEqualTo(api.requestHeaderVersion(version) >= 2);
                }
            }
        }
    }

    /** A version of a newer Kafka is reviewed before the ring carries it. Then this test and the table change. */
    @Test
    void shouldKnowTheNewestVersionOfEachApi() {
        for (ApiKeys api : ofClients()) {
            String carried = carried(api);
            if (carried != null && api != ApiKeys.ADD_PARTITIONS_TO_TXN) {
                assertThat(carried).as("%s", api).endsWith("" + api.latestVersion(false));
            }
        }
        assertThat(carried(ApiKeys.ADD_PARTITIONS_TO_TXN)).isEqualTo("0 to 3");
    }

    @Test
    void shouldDocumentEachApiOfClients() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        for (String line : Files.readAllLines(DOCS)) {
            String[] cells = line.split("\\|");
            if (cells.length == 4 && cells[1].trim().matches("[A-Z][A-Za-z]+")) {
                documented.put(cells[1].trim().toLowerCase(Locale.ROOT), cells[2].trim());
            }
        }
        for (ApiKeys api : ofClients()) {
            if (api == ApiKeys.PRODUCE || api == ApiKeys.FETCH) {
                continue;
            }
            String expected = carried(api) == null ? "TCP" : carried(api);
            assertThat(documented.get(api.name.toLowerCase(Locale.ROOT)))
                    .as("docs/protocol.md on %s", api.name)
                    .isEqualTo(expected);
        }
    }
}
