package io.slipstream.broker.landing;

import java.util.ArrayList;
import java.util.List;

/** The links' parts in one shared landing, ended ones too as long as their windows are registered. Guarded by the landing's monitor. */
final class SharedGrants {
    private final List<SharedGrant> all = new ArrayList<>();

    void add(SharedGrant grant) {
        all.add(grant);
    }

    List<SharedGrant> copy() {
        return List.copyOf(all);
    }

    /** Null if there is none. */
    SharedGrant any() {
        return all.isEmpty() ? null : all.get(0);
    }

    /** Of the link whose batch that was; null if it has left. */
    SharedGrant of(Turn turn) {
        for (SharedGrant grant : all) {
            if (turn.batches != null && grant.link() == turn.link) {
                return grant;
            }
        }
        return null;
    }

    boolean allEnded() {
        for (SharedGrant grant : all) {
            if (!grant.isEnded()) {
                return false;
            }
        }
        return true;
    }

    /** Asks the proxies that have not to end their part; what was not begun is over at once. */
    void revoke() {
        for (SharedGrant grant : all) {
            if (!grant.isEnded()) {
                grant.link().ringLandingDoorbell(grant.id());
            }
            if (grant.state == SharedGrant.State.GRANTED) {
                grant.state = SharedGrant.State.ENDED;
            }
        }
    }

    /** Links whose part has not ended. */
    List<LandingLink> notEnded() {
        List<LandingLink> links = new ArrayList<>();
        for (SharedGrant grant : all) {
            if (!grant.isEnded()) {
                links.add(grant.link());
            }
        }
        return links;
    }

    /** Takes out one that ended and of which nothing waits; false if it is not so. */
    boolean removeIfLeft(SharedGrant grant) {
        return grant.isEnded() && grant.pending == 0 && all.remove(grant);
    }
}
