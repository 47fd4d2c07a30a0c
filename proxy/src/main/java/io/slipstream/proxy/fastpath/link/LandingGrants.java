package io.slipstream.proxy.fastpath.link;

import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the plugin for windows of segments, for {@link Landings}. Confined to the event loop. */
final class LandingGrants {
    private static final Logger log = LoggerFactory.getLogger(LandingGrants.class);

    private final LiveLink link;
    private boolean refusedForGood;
    private boolean shared;

    LandingGrants(LiveLink link) {
        this.link = link;
    }

    /** Asks for nothing: every request takes the ring. */
    static LandingGrants none() {
        LandingGrants none = new LandingGrants(null);
        none.refusedForGood = true;
        return none;
    }

    /** Whether this broker places nothing in segments. */
    boolean isRefusedForGood() {
        return refusedForGood;
    }

    /** Whether several proxies place batches in a partition; not known before the first answer. */
    boolean isShared() {
        return shared;
    }

    int windowBytes(PartitionLanding place) {
        return place.windowBytes;
    }

    void ask(PartitionLanding place, int sessionId) {
        place.state = PartitionLanding.State.ASKING;
        ByteBuffer topic = ByteBuffer.wrap(place.topic());
        Uuid topicId = place.byId ? new Uuid(topic.getLong(), topic.getLong()) : Uuid.ZERO_UUID;
        String name = place.byId ? null : new String(place.topic(), StandardCharsets.UTF_8);
        ask(
                new ControlRequest.PrepareLanding(link.linkId(), sessionId, topicId, name, place.partition),
                response -> onPrepared(place, response));
    }

    /** Not at once: an answer that comes at once, because the link is lost, must not meet {@link Landings} deciding. */
    private void ask(ControlRequest request, ControlAnswer answer) {
        link.loop().execute(() -> link.ask(request, answer));
    }

    private void onPrepared(PartitionLanding place, ControlResponse response) {
        link.meters().granted(GrantKind.LANDING, response);
        if (place.state != PartitionLanding.State.ASKING) {
            return;
        } else if (response instanceof ControlResponse.PrepareLanding prepared
                && prepared.error() == ControlError.NONE) {
            place.landingId = prepared.landingId();
            place.use(prepared.window(), 0);
            place.share(prepared.word());
            shared = place.isShared();
            place.state = PartitionLanding.State.PREPARED;
            link.requests().writeWaiting();
            return;
        }
        if (response != null) {
            log.debug("partition {} takes the ring: {} {}", place.partition, response.error(), response.message());
            refusedForGood |= response.error() == ControlError.LANDING_OFF;
        }
        link.landings().onRefused(place);
        link.requests().writeWaiting();
    }

    /** Asks once for the bytes behind the window, and those in it from {@code from} on. */
    void extend(PartitionLanding place, int from) {
        if (place.extending || place.exhausted) {
            return;
        }
        place.extending = true;
        int landingId = place.landingId;
        ask(
                new ControlRequest.ExtendLanding(link.linkId(), landingId, from),
                response -> onExtended(place, landingId, from, response));
    }

    private void onExtended(PartitionLanding place, int landingId, int from, ControlResponse response) {
        if (place.landingId != landingId || place.state != PartitionLanding.State.LANDING) {
            return;
        }
        place.extending = false;
        if (response instanceof ControlResponse.ExtendLanding extended && extended.error() == ControlError.NONE) {
            place.use(extended.window(), from);
            place.windowBytes = Math.max(place.windowBytes, place.leftBytes());
        } else {
            place.exhausted = true;
        }
        link.requests().writeWaiting();
    }
}
