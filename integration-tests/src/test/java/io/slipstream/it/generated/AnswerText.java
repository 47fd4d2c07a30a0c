// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.generated;

import static org.apache.kafka.common.protocol.ApiKeys.DESCRIBE_LOG_DIRS;
import static org.apache.kafka.common.protocol.ApiKeys.LIST_CONFIG_RESOURCES;
import static org.apache.kafka.common.protocol.ApiKeys.LIST_GROUPS;
import static org.apache.kafka.common.protocol.ApiKeys.LIST_TRANSACTIONS;

import io.slipstream.harness.raw.RawResponse;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiKeys;

/** Answers to generated requests without what differs between two runs of the same broker. */
final class AnswerText {
    /** They list all that the broker has, or bytes on its disk. Only their class and error count. */
    private static final Set<ApiKeys> VARYING =
            EnumSet.of(LIST_GROUPS, DESCRIBE_LOG_DIRS, LIST_TRANSACTIONS, LIST_CONFIG_RESOURCES);

    private static final Pattern ERROR = Pattern.compile("errorCode=-?\\d+");
    /** The broker draws these: ids of topics, members, clients, sessions, producers and tokens. */
    private static final String ID =
            "(topicId=|[mM]emberId=|clientInstanceId=|tokenId=)('?)(?!" + Uuid.ZERO_UUID + ")[\\w-]{22}\\b('?)";

    private static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
    private static final String NUMBER = "(producerId=)\\d+|(sessionId=)[1-9]\\d*|(subscriptionId=)-?\\d+";
    /** A broker may leave out a share partition of which it has nothing. */
    private static final String NOTHING_SHARED = "ShareFetchableTopicResponse\\(topicId=[\\w-]+, partitions="
            + "\\[PartitionData\\(partitionIndex=\\d+, errorCode=0, [^\\]]*size=0[^]]*\\][^]]*acquiredRecords=\\[]\\)]\\)";

    private static final String SECRET = "hmac=\\[-?\\d[^\\]]*\\]";
    /** From the year 2020 to 2033, in milliseconds. */
    private static final String TIME = "\\b1[67]\\d{11}\\b";

    private AnswerText() {}

    /** @param text the answer as the caller's tests print it */
    static String of(Names names, RawResponse answer, String text) {
        if (VARYING.contains(answer.api())) {
            Matcher error = ERROR.matcher(text);
            return answer.body().getClass().getSimpleName() + (error.find() ? ' ' + error.group() : "");
        }
        String known = text.replace(names.own(), "own")
                .replace(names.topic().name(), "topic")
                .replace(names.topic().id().toString(), "id-of-topic")
                .replace(names.changed().name(), "changed")
                .replace(names.changed().id().toString(), "id-of-changed")
                .replace(Names.UNKNOWN_ID.toString(), "id-of-nothing")
                .replace(names.logDirectory(), "logs");
        return known.replaceAll(UUID, "<uuid>")
                .replaceAll(ID, "$1$2<id>$3")
                .replaceAll(NUMBER, "$1$2$3<number>")
                .replaceAll(NOTHING_SHARED, "")
                .replaceAll(SECRET, "hmac=<secret>")
                .replaceAll(TIME, "<time>")
                .replaceAll("host='[^']*', port=\\d+", "at")
                .replaceAll("Request\\(.*\\) needs", "Request needs");
    }
}
