// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs test classes in a JVM of their own, with other flags or on another machine. Exits with status 0 if some ran and
 * none failed.
 */
final class TestRun {
    private TestRun() {}

    public static void main(String[] classNames) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(
                        Arrays.stream(classNames).map(name -> selectClass(name)).toList())
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
        System.out.printf(
                "%d succeeded, %d failed, %d skipped%n",
                summary.getTestsSucceededCount(), summary.getTotalFailureCount(), summary.getTestsAbortedCount());
        boolean good = summary.getTotalFailureCount() == 0 && summary.getTestsSucceededCount() > 0;
        System.exit(good ? 0 : 1);
    }
}
