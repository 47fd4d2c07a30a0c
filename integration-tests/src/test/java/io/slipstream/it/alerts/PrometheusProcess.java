// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.process.ChildProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.process.Ports;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Prometheus from Debian's package, with a scrape interval of two seconds. Records every firing alert. */
final class PrometheusProcess implements AutoCloseable {
    private static final int HTTP_PATIENCE_MS = Patience.ms(10_000);
    private static final int POLL_MS = 300;

    private final ChildProcess process;
    private final String url;
    private final Thread watcher = new Thread(this::watch, "alerts");
    private final Map<String, Set<String>> fired = new ConcurrentHashMap<>();
    private volatile Set<String> firing = Set.of();
    private volatile boolean closed;

    private PrometheusProcess(ChildProcess process, String url) {
        this.process = process;
        this.url = url;
    }

    /** @param targets {@code host:port} by job */
    static PrometheusProcess start(Path directory, Map<String, List<String>> targets, String rules) throws IOException {
        int port = Ports.free();
        StringBuilder config = new StringBuilder("global: {scrape_interval: 2s, evaluation_interval: 1s}\n"
                + "rule_files: [rules.yml]\nscrape_configs:\n");
        new TreeMap<>(targets)
                .forEach((job, addresses) -> config.append("  - job_name: ")
                        .append(job)
                        .append("\n    static_configs:\n      - targets: ")
                        .append(addresses)
                        .append('\n'));
        Files.writeString(directory.resolve("rules.yml"), rules);
        Files.writeString(directory.resolve("prometheus.yml"), config);
        ChildProcess process = ChildProcess.start(
                "prometheus",
                List.of(
                        "prometheus",
                        "--config.file=" + directory.resolve("prometheus.yml"),
                        "--storage.tsdb.path=" + directory.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port,
                        "--log.level=warn"),
                directory,
                directory.resolve("prometheus.log"));
        PrometheusProcess prometheus = new PrometheusProcess(process, "http://127.0.0.1:" + port);
        boolean ready = Deadline.after(Patience.ofSeconds(60)).await(() -> prometheus.answers("/-/ready"));
        assertThat(ready).as("Prometheus is ready%s", process.logTail()).isTrue();
        prometheus.watcher.setDaemon(true);
        prometheus.watcher.start();
        return prometheus;
    }

    String url() {
        return url;
    }

    /** Returns all alerts that have fired, with their instances. */
    Map<String, Set<String>> fired() {
        return new TreeMap<>(fired);
    }

    boolean isFiring(String alert) {
        return firing.contains(alert);
    }

    /** Returns the current series of a query. */
    List<JsonNode> query(String expression) throws IOException {
        JsonNode answer = get("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
        List<JsonNode> series = new ArrayList<>();
        answer.at("/data/result").forEach(series::add);
        return series;
    }

    private void watch() {
        while (!closed) {
            try {
                record(get("/api/v1/alerts"));
                Thread.sleep(POLL_MS);
            } catch (IOException busy) {
                // Retried: a busy machine is slow.
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void record(JsonNode answer) {
        Set<String> now = ConcurrentHashMap.newKeySet();
        for (JsonNode alert : answer.at("/data/alerts")) {
            if (alert.get("state").asText().equals("firing")) {
                String name = alert.at("/labels/alertname").asText();
                String text = alert.get("annotations").toString();
                now.add(name);
                fired.computeIfAbsent(name, key -> ConcurrentHashMap.newKeySet())
                        .add(alert.at("/labels/instance").asText()
                                + (text.contains("error") && text.contains("template") ? " " + text : ""));
            }
        }
        firing = now;
    }

    private boolean answers(String path) {
        try {
            return connect(path).getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException notYet) {
            return false;
        }
    }

    private JsonNode get(String path) throws IOException {
        return new ObjectMapper().readTree(connect(path).getInputStream());
    }

    private HttpURLConnection connect(String path) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(url + path).toURL().openConnection();
        connection.setConnectTimeout(HTTP_PATIENCE_MS);
        connection.setReadTimeout(HTTP_PATIENCE_MS);
        return connection;
    }

    @Override
    public void close() {
        closed = true;
        watcher.interrupt();
        process.stop();
    }
}
