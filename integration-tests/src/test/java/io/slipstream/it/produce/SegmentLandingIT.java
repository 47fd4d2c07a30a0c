package io.slipstream.it.produce;

import io.slipstream.harness.BrokerLine;
import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.ProxyProcess;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link SegmentLandings} by shared memory, on each line. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class SegmentLandingIT {
    private static final int RECORDS = 3000;

    @ParameterizedTest
    @EnumSource(BrokerLine.class)
    void shouldHoldWhatWasPlacedAndLetOthersWriteInBetween(BrokerLine line) throws Exception {
        try (BrokerProcess broker = BrokerProcess.builder(line)
                        .withAgent()
                        .property("slipstream.landing", "segment")
                        .property("log.retention.check.interval.ms", "500")
                        .start();
                ProxyProcess usual = ProxyProcess.builder(broker).start();
                ProxyProcess eager = ProxyProcess.builder(broker)
                        .property("rdma.landing.after.requests", "0")
                        .start()) {
            new SegmentLandings(broker, usual, "placed", RECORDS).holdWhatWasPlaced();
            new SegmentLandings(broker, eager, "between", RECORDS).letOthersWriteInBetween();
        }
    }
}
