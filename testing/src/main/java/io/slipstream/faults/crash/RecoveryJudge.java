// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Checks recovered logs on its own thread while the broker starts and serves: against the image of the kill, with
 * Kafka's own tool, and later, with the history, by the checker.
 */
final class RecoveryJudge implements AutoCloseable {
    private static final long PATIENCE_S = 120;

    private final Images images;
    private final CrashClients clients;
    private final int node;
    private final SegmentInspector inspector = new SegmentInspector();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(body -> {
        Thread judge = new Thread(body, "recovery-judge");
        judge.setDaemon(true);
        return judge;
    });

    RecoveryJudge(Images images, CrashClients clients, int node) {
        this.images = images;
        this.clients = clients;
        this.node = node;
    }

    /**
     * Both images must exist and stay.
     *
     * @param dead partitions as the kill left them
     * @param goneNs time at which the broker was dead
     */
    Future<List<String>> judge(Kill kill, Map<String, LogImage> dead, long goneNs) {
        Path recovered = images.recovered(kill);
        return thread.submit(() -> {
            clients.recordImage(recovered, node, goneNs);
            List<String> findings = new ArrayList<>();
            Map<String, LogImage> after = Images.read(recovered, clients.directories());
            dead.forEach((name, image) -> {
                if (after.containsKey(name)) {
                    image.differences(after.get(name)).forEach(what -> findings.add(name + ": " + what));
                } else {
                    findings.add(name + " is missing");
                }
            });
            findings.addAll(inspector.inspect(recovered));
            return findings;
        });
    }

    /** Checks logs at rest with Kafka's own tool only. */
    List<String> inspect(Path logDirectory) {
        return await(thread.submit(() -> inspector.inspect(logDirectory)));
    }

    static List<String> await(Future<List<String>> findings) {
        try {
            return findings.get(PATIENCE_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while logs were inspected", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("cannot inspect the recovered logs: " + e, e);
        }
    }

    /** Returns the number of files that Kafka's tool inspected. */
    long files() {
        return inspector.files();
    }

    /** Returns the number of batches that it iterated over. */
    long batches() {
        return inspector.batches();
    }

    @Override
    public void close() {
        thread.shutdownNow();
        inspector.close();
    }
}
