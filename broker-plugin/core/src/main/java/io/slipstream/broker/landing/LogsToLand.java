package io.slipstream.broker.landing;

import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.config.TopicSet;
import io.slipstream.protocol.control.ControlRequest;
import java.nio.ByteBuffer;

/** The broker's logs without those of excluded topics. */
public record LogsToLand(LandableLogs all, TopicSet excluded) implements LandableLogs {
    @Override
    public Outcome resolve(Object requestContext, ControlRequest.PrepareLanding request) {
        Outcome outcome = all.resolve(requestContext, request);
        return outcome.log() != null && excluded.includes(outcome.log().topic())
                ? new Outcome(
                        null,
                        PluginKeys.TOPICS_EXCLUDED + " names " + outcome.log().topic())
                : outcome;
    }

    @Override
    public boolean mayStillWrite(Object requestContext, String topic) {
        return all.mayStillWrite(requestContext, topic);
    }

    @Override
    public ByteBuffer bytesOf(Object records) {
        return all.bytesOf(records);
    }

    @Override
    public RuntimeException notLeader(String message) {
        return all.notLeader(message);
    }

    @Override
    public RuntimeException passing(String message) {
        return all.passing(message);
    }
}
