// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.generated;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.RequestFrame;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.kafka.common.protocol.ApiMessage;

/** Sends a right and a wrong request of each version, one after another on one connection. */
public final class GeneratedScript {
    private static final String CLOSED = "connection closed";

    private final Names names;
    private final Random random;
    private final Function<RawResponse, String> text;

    /** The path to the broker. */
    public interface Connection {
        /** Returns null if the connection was closed; the next call then uses a new one. */
        RawResponse call(RequestFrame frame) throws IOException;
    }

    /**
     * @param random of the same seed on all paths
     * @param text prints an answer
     */
    public GeneratedScript(Names names, Random random, Function<RawResponse, String> text) {
        this.names = names;
        this.random = random;
        this.text = text;
    }

    /**
     * Fails if not every version got a right request.
     *
     * @param notes takes the label and the answer of each request
     */
    public void run(List<ApiVersion> versions, Connection connection, BiConsumer<String, String> notes)
            throws IOException {
        Set<ApiVersion> answered = new LinkedHashSet<>();
        for (int i = 0; i < 2 * versions.size(); i++) {
            Draw draw = new Draw(names, versions.get(i / 2), i % 2 == 1, i);
            ApiMessage body = RequestGenerator.request(draw, random);
            if (body == null) {
                continue;
            }
            String label = draw.sent() + (draw.wrong() ? " wrong" : " right");
            RawResponse answer;
            try {
                answer = connection.call(RequestFrame.of(draw.sent().version(), body));
            } catch (IOException | RuntimeException e) {
                throw new IOException(label + ": " + body, e);
            }
            notes.accept(label, answer == null ? CLOSED : AnswerText.of(names, answer, text.apply(answer)));
            if (!draw.wrong()) {
                answered.add(draw.sent());
            }
        }
        assertThat(answered).as("versions with a request").containsExactlyElementsOf(versions);
    }
}
