package io.slipstream.broker.landing;

import io.slipstream.broker.session.BoundSession;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks twice a lease whether those who were lent segments may still write there, and takes the segments of others back: their proxy is asked to end the landing, and loses its link if it does
 * not in time; either way it is fenced then. Nothing could be committed without WRITE anyway, since the broker authorizes each request; but nobody shall be able to write into a file of a topic
 * that is not his to write.
 *
 * <p>On a thread of its own: an authorizer may take its time.
 */
public final class LandingRights implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(LandingRights.class);
    private static final int LOOKS_PER_LEASE = 2;

    private final SegmentLandings landings;
    private final LandableLogs logs;
    private final long releaseNs;
    private final Map<Grant, Loan> loans = new ConcurrentHashMap<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread rights = new Thread(task, "slipstream-landing-rights");
        rights.setDaemon(true);
        return rights;
    });

    /** @param releaseNs how long a proxy may take to end a landing */
    public LandingRights(SegmentLandings landings, LandableLogs logs, long leaseNs, long releaseNs) {
        this.landings = landings;
        this.logs = logs;
        this.releaseNs = releaseNs;
        long pauseNs = leaseNs / LOOKS_PER_LEASE;
        thread.scheduleWithFixedDelay(this::look, pauseNs, pauseNs, TimeUnit.NANOSECONDS);
    }

    /** Any thread: the session was answered that it may place batches in that landing of its link. */
    public void lent(LinkLandings ofLink, int landingId, BoundSession session, String topic) {
        Grant grant = ofLink.get(landingId);
        if (grant != null) {
            loans.put(grant, new Loan(ofLink, session, topic));
        }
    }

    /** Any thread: how many are looked after. */
    int size() {
        return loans.size();
    }

    /** Own thread. */
    private void look() {
        try {
            long nowNs = System.nanoTime();
            loans.forEach((grant, loan) -> look(grant, loan, nowNs));
        } catch (RuntimeException failure) {
            logger.error("The rights to write could not be looked at, will try again", failure);
        }
    }

    private void look(Grant grant, Loan loan, long nowNs) {
        if (loan.ofLink.get(grant.id()) != grant) {
            loans.remove(grant);
        } else if (loan.isLost) {
            if (nowNs - loan.lostAtNs > releaseNs) {
                grant.link().abandon("a landing was not given back by whom may not write there any more");
            }
        } else if (loan.session.lifetime().isOver(nowNs)
                || !logs.mayStillWrite(loan.session.requestContext(), loan.topic)) {
            loan.isLost = true;
            loan.lostAtNs = nowNs;
            logger.info("Link {} may not write to {} any more", grant.link().linkId(), loan.topic);
            landings.withdraw(grant);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private static final class Loan {
        private final LinkLandings ofLink;
        private final BoundSession session;
        private final String topic;
        /** This and the next: own thread. */
        private boolean isLost;

        private long lostAtNs;

        Loan(LinkLandings ofLink, BoundSession session, String topic) {
            this.ofLink = ofLink;
            this.session = session;
            this.topic = topic;
        }
    }
}
