// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import java.util.Map;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/**
 * An attempt at a forbidden operation, directly at the broker and through the proxy.
 *
 * @param what subject and verb, as in: intruder produces
 * @param due the error that a stock client must report
 * @param straight the error at the broker; {@value #NOTHING} if the attempt succeeded
 * @param proxied the same through the proxy
 */
record Attempt(String what, String due, String straight, String proxied) {
    private static final String NOTHING = "not refused";

    boolean isRefused() {
        return straight.equals(due) && proxied.equals(due);
    }

    /** @param straight address of the broker */
    static Attempt toDo(StockClient.Work work, Role role, Map<String, Object> client, String straight, String proxied) {
        return make(
                role.user() + " " + work.verb(), work, client, TopicAuthorizationException.class, straight, proxied);
    }

    static Attempt toLogInWithWrongPassword(Role role, Map<String, Object> client, String straight, String proxied) {
        return make(
                role.user() + " with a wrong password",
                StockClient.Work.PRODUCE,
                client,
                SaslAuthenticationException.class,
                straight,
                proxied);
    }

    private static Attempt make(
            String what,
            StockClient.Work work,
            Map<String, Object> client,
            Class<? extends ApiException> due,
            String straight,
            String proxied) {
        return new Attempt(what, due.getSimpleName(), refusal(work, straight, client), refusal(work, proxied, client));
    }

    private static String refusal(StockClient.Work work, String bootstrapServers, Map<String, Object> settings) {
        try (StockClient client = work.start(bootstrapServers, settings)) {
            client.proceed();
            return NOTHING;
        } catch (RuntimeException refused) {
            return refused.getClass().getSimpleName();
        }
    }
}
