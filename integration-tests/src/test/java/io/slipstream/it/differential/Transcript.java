// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.TopicRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The observations of a script in one arm, in arm-independent words: topic names, topic ids, producer ids and addresses
 * are replaced by logical ones. Different transcripts mean a proxy bug.
 */
final class Transcript {
    private final List<String> lines = new ArrayList<>();
    private final Map<String, String> logicalNames = new HashMap<>();
    private final List<Map.Entry<String, String>> addresses = new ArrayList<>();

    /** Replaces the topic by its logical name in later text. */
    void alias(TopicRef topic, String logicalName) {
        logicalNames.put(topic.name(), logicalName);
        logicalNames.put(topic.id().toString(), "id-of-" + logicalName);
    }

    void alias(String actual, String logical) {
        logicalNames.put(actual, logical);
    }

    /** Replaces this address by {@code <logical>} in later text, so that another arm's address is visible. */
    void aliasAddress(String host, int port, String logical) {
        addresses.add(Map.entry("host='" + host + "', port=" + port, "<" + logical + ">"));
    }

    void note(String label, Object value) {
        lines.add(label + ": " + normalized(String.valueOf(value)));
    }

    /** Notes the whole response: structure, error codes, offsets, watermarks and record bytes. */
    void note(String label, RawResponse response) {
        note(label, ResponseText.of(response, this::normalized));
    }

    /** Compares with the first arm's transcript; the message shows only the first difference with its step's label. */
    void assertSameAs(Transcript truth, String description) {
        int common = Math.min(lines.size(), truth.lines.size());
        for (int i = 0; i < common; i++) {
            assertThat(lines.get(i)).as("%s, note %d", description, i).isEqualTo(truth.lines.get(i));
        }
        assertThat(lines.size()).as("%s, number of notes", description).isEqualTo(truth.lines.size());
        assertThat(truth.lines).as("notes of the script").isNotEmpty();
    }

    private String normalized(String text) {
        String result = text;
        for (Map.Entry<String, String> address : addresses) {
            result = result.replace(address.getKey(), address.getValue());
        }
        for (Map.Entry<String, String> name : logicalNames.entrySet()) {
            result = result.replace(name.getKey(), name.getValue());
        }
        return result;
    }
}
