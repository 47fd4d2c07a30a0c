// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.generated;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.TopicRef;
import io.slipstream.it.Seed;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType.ListenerType;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.junit.jupiter.api.Test;

/** There is a request for all that is compared, and that is all that the ring carries and clients send. */
class GeneratedRequestsTest {
    private static final int SEEDS = 30;

    private final Names names = new Names(
            "own",
            new TopicRef("topic", Uuid.randomUuid()),
            new TopicRef("changed", Uuid.randomUuid()),
            1,
            "/logs",
            Map.of());

    private static Stream<ApiVersion> all() {
        return Stream.concat(ApiVersion.ofRing().stream(), ApiVersion.besideTheRing().stream());
    }

    private ApiMessage request(ApiVersion sent, boolean wrong, long seed) {
        return RequestGenerator.request(new Draw(names, sent, wrong, 1), new Random(seed));
    }

    @Test
    void shouldMakeARequestOfEachVersion() {
        Random seeds = new Random(Seed.ofRun());
        all().forEach(sent -> {
            for (int i = 0; i < SEEDS; i++) {
                assertThat(request(sent, false, seeds.nextLong()))
                        .as("%s", sent)
                        .isNotNull();
                request(sent, true, seeds.nextLong());
            }
        });
    }

    @Test
    void shouldMakeTheSameRequestsOfASeed() {
        for (ApiVersion sent : ApiVersion.ofRing()) {
            if (sent.api() != ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS && sent.api() != ApiKeys.PUSH_TELEMETRY) {
                assertThat(String.valueOf(request(sent, true, 7))).isEqualTo(String.valueOf(request(sent, true, 7)));
            }
        }
    }

    /** Only those without fields that could be wrong have no wrong request. */
    @Test
    void shouldMakeWrongRequests() {
        assertThat(all().filter(sent -> request(sent, true, Seed.ofRun()) == null))
                .allSatisfy(sent -> assertThat(sent.api()
                                .messageType
                                .requestSchemas()[sent.version()]
                                .fields())
                        .as("fields of %s", sent)
                        .allMatch(field -> field.def.type == Type.BOOLEAN || field.def.type instanceof TaggedFields));
    }

    @Test
    void shouldCompareEachApiOfClients() {
        Set<ApiKeys> compared = all().map(ApiVersion::api).collect(Collectors.toSet());
        List<ApiKeys> ofClients = Arrays.stream(ApiKeys.values())
                .filter(api -> api.inScope(ListenerType.BROKER) && !api.clusterAction && api != ApiKeys.API_VERSIONS)
                .toList();

        assertThat(compared).containsExactlyInAnyOrderElementsOf(ofClients);
        assertThat(ApiVersion.ofRing()).allMatch(ApiVersion::isCarried);
        assertThat(ApiVersion.besideTheRing()).noneMatch(ApiVersion::isCarried);
    }

    /** The table of eligibility and the compared cases are the same. Produce and Fetch are not in that table. */
    @Test
    void shouldCompareTheOldestAndNewestVersionOfTheDocumentedTable() throws IOException {
        Set<String> ofKafka = Arrays.stream(ApiKeys.values())
                .map(api -> api.name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
        Set<String> documented = new TreeSet<>();
        for (String line : Files.readAllLines(Checkout.root().resolve("docs/protocol.md"))) {
            String[] cells = line.split("\\|");
            String name = cells.length == 4 ? cells[1].trim().toLowerCase(Locale.ROOT) : "";
            if (ofKafka.contains(name) && !cells[2].trim().equals("TCP")) {
                for (String version : cells[2].trim().split(" to ")) {
                    documented.add(name + ' ' + version);
                }
            }
        }
        Set<String> compared = ApiVersion.ofRing().stream()
                .filter(sent -> sent.api() != ApiKeys.PRODUCE)
                .map(sent -> sent.api().name.toLowerCase(Locale.ROOT) + ' ' + sent.version())
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(compared).isEqualTo(documented);
    }
}
