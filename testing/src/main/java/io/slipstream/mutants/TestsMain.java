// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs test classes in the given order, in a process of its own. The first failure ends it. */
final class TestsMain implements TestExecutionListener {
    /** Begins a line that is meant for {@link TestRun}. */
    static final String TOOK = "mutants took ";

    static final String FAILED = "mutants failed ";

    private final Map<String, Long> beganNs = new ConcurrentHashMap<>();

    private TestsMain() {}

    public static void main(String[] classes) {
        List<ClassSelector> selected =
                Stream.of(classes).map(name -> selectClass(name)).toList();
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request().selectors(selected).build();
        LauncherFactory.create().execute(request, new TestsMain());
        end(0);
    }

    /** Ends at once: threads of tests may still run. */
    private static void end(int status) {
        System.out.flush();
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        Runtime.getRuntime().halt(status);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        beganNs.put(test.getUniqueId(), System.nanoTime());
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == Status.FAILED) {
            String message = result.getThrowable().map(TestsMain::messageOf).orElse("");
            result.getThrowable().ifPresent(thrown -> thrown.printStackTrace(System.out));
            System.out.println();
            System.out.println(FAILED + nameOf(test) + message);
            end(1);
        }
        if (test.getSource().orElse(null) instanceof ClassSource source
                && !source.getClassName().contains("$")) {
            long tookMs = (System.nanoTime() - beganNs.get(test.getUniqueId())) / 1_000_000;
            System.out.println();
            System.out.println(TOOK + source.getClassName() + " " + tookMs);
        }
    }

    private static String messageOf(Throwable thrown) {
        String first =
                String.valueOf(thrown.getMessage()).strip().lines().findFirst().orElse("");
        return ", " + thrown.getClass().getSimpleName() + (first.isEmpty() ? "" : ": " + first);
    }

    private static String nameOf(TestIdentifier test) {
        if (test.getSource().orElse(null) instanceof MethodSource method) {
            return simple(method.getClassName()) + "." + method.getMethodName();
        }
        return test.getSource().orElse(null) instanceof ClassSource source
                ? simple(source.getClassName())
                : test.getDisplayName();
    }

    private static String simple(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }
}
