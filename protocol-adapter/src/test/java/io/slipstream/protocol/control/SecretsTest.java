// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** Messages are logged, so their texts must not contain tokens, nonces, proofs or memory keys. */
class SecretsTest {
    private static final int RKEY = 717171717;
    private static final long TOKEN = 8181818181818181L;
    private static final String NONCE = "slipstream-929292";
    private static final RemoteMemory MEMORY = new RemoteMemory(0x5555_5555_5555L, 4096, RKEY);

    @Test
    void shouldBeInNoMessagesText() throws Exception {
        List<Class<?>> messages = new ArrayList<>(List.of(ControlRequest.class.getPermittedSubclasses()));
        messages.addAll(List.of(ControlResponse.class.getPermittedSubclasses()));
        assertThat(messages).hasSizeGreaterThan(20);
        for (Class<?> message : messages) {
            assertThat(filled(message).toString())
                    .doesNotContain(Integer.toString(RKEY))
                    .doesNotContain(Long.toString(TOKEN))
                    .doesNotContain(Long.toString(MEMORY.address()))
                    .doesNotContain(NONCE);
        }
    }

    /** The message with a secret in every possible place. */
    private static Object filled(Class<?> message) throws Exception {
        RecordComponent[] components = message.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            values[i] = value(components[i].getName(), types[i]);
        }
        var constructor = message.getDeclaredConstructor(types);
        constructor.setAccessible(true);
        return constructor.newInstance(values);
    }

    private static Object value(String name, Class<?> type) {
        if (type == RemoteMemory.class) {
            return MEMORY;
        } else if (type == int.class) {
            return name.equals("rkey") ? RKEY : 1;
        } else if (type == long.class) {
            return name.equals("token") ? TOKEN : 1L;
        } else if (type == String.class) {
            return name.equals("nonce") || name.equals("proof") ? NONCE : "text";
        } else if (type == short.class) {
            return (short) 1;
        } else if (type == boolean.class) {
            return true;
        } else if (type == Uuid.class) {
            return Uuid.ZERO_UUID;
        } else if (type == ControlError.class) {
            return ControlError.NONE;
        } else if (type == List.class) {
            return List.of();
        }
        throw new IllegalArgumentException("no value of " + type);
    }
}
