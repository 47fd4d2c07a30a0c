// SPDX-License-Identifier: Apache-2.0
package io.slipstream.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MeterRegistryTest {
    private final MeterRegistry registry = new MeterRegistry(TestMeter.values());

    @AfterEach
    void close() {
        registry.close();
    }

    @Test
    void shouldExportCountersUnderTheirDocumentedNames() {
        registry.count(TestMeter.REQUESTS, "PRODUCE", "rdma").add(3);
        registry.count(TestMeter.FALLBACKS, "no_plugin").increment();
        registry.count(TestMeter.CONNECTIONS, "client").increment();

        assertThat(registry.scrape())
                .contains("slipstream_requests_total{api=\"PRODUCE\",path=\"rdma\"} 3.0")
                .contains("slipstream_fallbacks_total{reason=\"no_plugin\"} 1.0")
                .contains("slipstream_connections{side=\"client\"} 1.0")
                .contains("# HELP slipstream_requests_total " + TestMeter.REQUESTS.doc());
    }

    @Test
    void shouldExportLatenciesInSecondsWithCumulativeBuckets() {
        LatencyHistogram latency = registry.latency(TestMeter.REQUEST_LATENCY, "FETCH", "tcp");
        latency.recordNs(1_000_000);
        latency.recordNs(2_000_000_000);

        assertThat(registry.scrape())
                .contains("slipstream_request_latency_seconds_count{api=\"FETCH\",path=\"tcp\"} 2")
                .contains("slipstream_request_latency_seconds_bucket{api=\"FETCH\",path=\"tcp\",le=\"+Inf\"} 2")
                .contains("slipstream_request_latency_seconds_sum{api=\"FETCH\",path=\"tcp\"} 2.001");
    }

    @Test
    void shouldGiveTheSameSeriesForTheSameLabels() {
        assertThat(registry.count(TestMeter.FALLBACKS, "limit")).isSameAs(registry.count(TestMeter.FALLBACKS, "limit"));
        assertThat(registry.count(TestMeter.FALLBACKS, "limit"))
                .isNotSameAs(registry.count(TestMeter.FALLBACKS, "replica"));
    }

    @Test
    void shouldFoldSeriesBeyondTheBoundIntoOne() {
        for (int i = 0; i < MeterRegistry.MAX_SERIES + 10; i++) {
            registry.count(TestMeter.RDMA_DEVICE, "verbs", "device-" + i).increment();
        }
        assertThat(registry.value(TestMeter.RDMA_DEVICE, MeterRegistry.OTHER, MeterRegistry.OTHER))
                .isEqualTo(10);
        assertThat(registry.scrape().lines().filter(line -> line.startsWith("slipstream_rdma_device{")))
                .hasSize(MeterRegistry.MAX_SERIES + 1);
    }

    @Test
    void shouldSumSuppliersAndKeepACountersLastValue() {
        AtomicLong one = new AtomicLong(5);
        MeterRegistry.Registration first = registry.supply(one::get, TestMeter.TRANSPORT_OPERATIONS, "read");
        registry.supply(() -> 7, TestMeter.TRANSPORT_OPERATIONS, "read");
        assertThat(registry.value(TestMeter.TRANSPORT_OPERATIONS, "read")).isEqualTo(12);

        one.set(6);
        first.close();
        first.close();
        assertThat(registry.value(TestMeter.TRANSPORT_OPERATIONS, "read")).isEqualTo(13);

        MeterRegistry.Registration gauge = registry.supply(() -> 4, TestMeter.REGISTERED_BYTES);
        assertThat(registry.value(TestMeter.REGISTERED_BYTES)).isEqualTo(4);
        gauge.close();
        assertThat(registry.value(TestMeter.REGISTERED_BYTES)).isZero();
    }

    @Test
    void shouldTellOfSeriesThatComeAndGo() {
        Set<String> told = new TreeSet<>();
        MeterRegistry.Registration registration = registry.listen(new MeterRegistry.SeriesListener() {
            @Override
            public void onAdded(MeterDefinition meter, List<String> labelValues) {
                assertThat(told.add(meter + "" + labelValues)).as("once").isTrue();
            }

            @Override
            public void onRemoved(MeterDefinition meter, List<String> labelValues) {
                assertThat(told.remove(meter + "" + labelValues)).as("present").isTrue();
            }
        });
        assertThat(told).contains("LINKS_UP[]", "CONNECTIONS[client]").doesNotContain("RDMA_DEVICE[verbs, rxe0]");

        registry.count(TestMeter.RDMA_DEVICE, "verbs", "rxe0").increment();
        registry.count(TestMeter.RDMA_DEVICE, "verbs", "rxe0").increment();
        assertThat(told).contains("RDMA_DEVICE[verbs, rxe0]");
        registry.remove(TestMeter.RDMA_DEVICE, "verbs", "rxe0");
        registry.remove(TestMeter.RDMA_DEVICE, "verbs", "rxe0");
        assertThat(told).contains("LINKS_UP[]").doesNotContain("RDMA_DEVICE[verbs, rxe0]");
        assertThat(registry.scrape()).doesNotContain("slipstream_rdma_device{");

        registration.close();
        assertThat(told).isEmpty();
        registry.count(TestMeter.RDMA_DEVICE, "verbs", "rxe1").increment();
        registration.close();
        assertThat(told).isEmpty();
    }

    @Test
    void shouldRefuseWrongLabelsAndKinds() {
        assertThatThrownBy(() -> registry.count(TestMeter.REQUESTS, "PRODUCE")).hasMessageContaining("[api, path]");
        assertThatThrownBy(() -> registry.latency(TestMeter.FALLBACKS, "limit")).hasMessageContaining("FALLBACKS");
        assertThatThrownBy(() -> registry.count(TestMeter.REQUEST_LATENCY, "FETCH", "tcp"))
                .hasMessageContaining("REQUEST_LATENCY");
    }

    @Test
    void shouldShowWhatIsKnownBeforehandFromTheStart() {
        String page = registry.scrape();
        for (TestMeter meter : TestMeter.values()) {
            boolean isShown = page.contains("# TYPE " + meter.id() + " ");
            assertThat(isShown).as(meter.id()).isEqualTo(meter.isClosed());
        }
        assertThat(page)
                .contains("slipstream_links_up 0.0")
                .contains("slipstream_grants_refused_total{kind=\"read\",reason=\"limit\"} 0.0")
                .contains("slipstream_transport_latency_seconds_count{operation=\"write\"} 0");
    }

    @Test
    void shouldScrapeWithProcessMeters() {
        registry.withProcessMeters();
        assertThat(registry.scrape()).contains("jvm_memory_used_bytes").contains("process_files_open_files");
    }
}
