// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.proxy.live.LivePage;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Computes rates from two recorded pages, and lines from rates. */
class TopViewTest {
    private static LivePage before;
    private static LivePage after;

    @BeforeAll
    static void read() throws Exception {
        before = page("before.json");
        after = page("after.json");
    }

    private static LivePage page(String name) throws Exception {
        try (InputStream in = TopViewTest.class.getResourceAsStream("/top/" + name)) {
            return new ObjectMapper().readValue(in, LivePage.class);
        }
    }

    private static List<String> plain(int width, int height, int rows, Order order, boolean reversed) {
        return new TopScreen(width, height, rows, order, reversed)
                .lines(TopView.between(before, after)).stream()
                        .map(line -> line.render(width, false))
                        .toList();
    }

    @Test
    void shouldTakeRatesFromTheDifference() {
        TopView view = TopView.between(before, after);
        assertThat(view.seconds()).isEqualTo(2.0);
        assertThat(view.produced()).isEqualTo(new TopView.Share(1000, 0.75, 0.6));
        assertThat(view.fetched().now()).as("nothing was fetched").isEqualTo(-1);
        assertThat(view.bytesInPerSecond()).isEqualTo(50_000);
        TopView.ClientRow old = view.clients().get(0);
        assertThat(old.clientId()).isEqualTo("sensors");
        assertThat(old.requestsPerSecond()).isEqualTo(100);
        assertThat(old.rdmaShare()).isEqualTo(0.75);
        assertThat(old.inFlight()).isEqualTo(5);
        // 150 requests in bucket 2 and 50 in bucket 5; earlier counts are subtracted.
        assertThat(old.p50Us()).isEqualTo(3.0);
        assertThat(old.p99Us()).isEqualTo(6.0);
        TopView.ClientRow fresh = view.clients().get(2);
        assertThat(fresh.clientId()).isEqualTo("late");
        assertThat(fresh.requestsPerSecond()).as("all it ever did").isEqualTo(5);
        assertThat(fresh.rdmaShare()).isEqualTo(-1);
        TopView.PartitionRow cars = view.partitions().get(0);
        assertThat(cars.produceShare()).isEqualTo(0.75);
        assertThat(cars.whyTcp()).isEqualTo("ring_full");
        assertThat(view.partitions().get(1).whyTcp())
                .as("nothing by TCP any more")
                .isEmpty();
        assertThat(view.apis()).hasSize(2);
        assertThat(view.fallbacks())
                .containsExactly(
                        new TopView.ReasonRow("ring_full", 25, 150), new TopView.ReasonRow("session_not_bound", 0, 50));
    }

    @Test
    void shouldNotCompareTwoProcesses() {
        assertThatThrownBy(() -> TopView.between(/* before= */ after, /* after= */ before))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldShowAllOfIt() {
        List<String> lines = plain(140, 100, 20, Order.REQUESTS, false);
        assertThat(lines.get(0))
                .isEqualTo("Slipstream 0.1.0  127.0.0.1:9092  up 00:01:42  brokers 3  links 4  RDMA on  shm (shm)");
        assertThat(lines.get(2)).isEqualTo("produce 1,000 records/s  by RDMA 75.0 %  since the start 60.0 %");
        assertThat(lines.get(3)).isEqualTo("fetch   0.0 records/s  by RDMA -  since the start -".replace("0.0", "0"));
        assertThat(String.join("\n", lines))
                .containsPattern("sensors \\(CN=app\\) +127.0.0.1:5001 +1 +100 +100 +0 +.*75.0 % +5 +3.0 µs +6.0 µs")
                .containsPattern("cars-0 +1,000 +50.0 kB/s +75.0 % +0 +0 B/s +ring_full")
                .containsPattern("PRODUCE +rdma +75 +3.0 µs +6.0 µs +6.0 µs")
                .containsPattern("ring_full +25 +150");
    }

    @Test
    void shouldSortAndReverse() {
        assertThat(indexOf("late", plain(140, 100, 20, Order.REQUESTS, false)))
                .isGreaterThan(indexOf("sensors", plain(140, 100, 20, Order.REQUESTS, false)));
        assertThat(indexOf("late", plain(140, 100, 20, Order.REQUESTS, true)))
                .isLessThan(indexOf("sensors", plain(140, 100, 20, Order.REQUESTS, true)));
        assertThat(indexOf("late", plain(140, 100, 20, Order.NAME, false)))
                .isLessThan(indexOf("sensors", plain(140, 100, 20, Order.NAME, false)));
        assertThat(indexOf("idle", plain(140, 100, 20, Order.TCP, false)))
                .as("what does nothing is no trouble")
                .isGreaterThan(indexOf("sensors", plain(140, 100, 20, Order.TCP, false)));
    }

    private static int indexOf(String name, List<String> lines) {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith(name)) {
                return i;
            }
        }
        throw new AssertionError(name + " is not in " + lines);
    }

    @Test
    void shouldFitTheTerminal() {
        for (int width : new int[] {1, 20, 80, 200}) {
            for (String line : plain(width, 24, 20, Order.BYTES, false)) {
                assertThat(line.length()).isLessThanOrEqualTo(width);
            }
        }
        assertThat(plain(140, 100, 1, Order.REQUESTS, false)).contains("… and 2 more clients");
        assertThat(plain(140, 100, 0, Order.REQUESTS, false)).contains("… and 3 more clients");
    }

    @Test
    void shouldColourNothingButItsOwnWords() {
        StyledLine line = new StyledLine().add("evil\u001b[2Jname\n", Style.GOOD);
        assertThat(line.render(100, true)).isEqualTo("\u001b[32mevil?[2Jname?\u001b[0m");
        assertThat(line.render(4, false)).isEqualTo("evil");
    }

    @Test
    void shouldWriteNumbersAsPeopleReadThem() {
        assertThat(Figures.rate(0)).isEqualTo("0");
        assertThat(Figures.rate(0.25)).isEqualTo("0.3");
        assertThat(Figures.rate(1234.5)).isEqualTo("1,235");
        assertThat(Figures.bytes(999)).isEqualTo("999 B/s");
        assertThat(Figures.bytes(1500)).isEqualTo("1.5 kB/s");
        assertThat(Figures.bytes(123_456_789)).isEqualTo("123 MB/s");
        assertThat(Figures.share(0.99999)).as("not all").isEqualTo("99.9 %");
        assertThat(Figures.share(1)).isEqualTo("100 %");
        assertThat(Figures.share(-1)).isEmpty();
        assertThat(Figures.latency(-1)).isEmpty();
        assertThat(Figures.latency(33.4)).isEqualTo("33 µs");
        assertThat(Figures.latency(1500)).isEqualTo("1.5 ms");
        assertThat(Figures.latency(2_000_000)).isEqualTo("2.0 s");
        assertThat(Figures.uptime(3_723_000)).isEqualTo("01:02:03");
        assertThat(Figures.uptime(90_061_000)).isEqualTo("1d 01:01:01");
    }
}
