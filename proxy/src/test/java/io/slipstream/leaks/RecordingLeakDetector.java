// SPDX-License-Identifier: Apache-2.0
package io.slipstream.leaks;

import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Netty's leak detector with a record of its reports. Active if the system property
 * {@code io.netty.customResourceLeakDetector} names this class; {@link LeakCheck} turns the reports into failures.
 */
public final class RecordingLeakDetector<T> extends ResourceLeakDetector<T> {
    private static final List<String> REPORTS = new CopyOnWriteArrayList<>();

    /** The constructor that Netty looks for. */
    public RecordingLeakDetector(Class<?> resourceType, int samplingInterval) {
        super(resourceType, samplingInterval);
    }

    /** The former constructor, which Netty tries first; it logs an error if it is missing. */
    public RecordingLeakDetector(Class<?> resourceType, int samplingInterval, long ignored) {
        this(resourceType, samplingInterval);
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        super.reportTracedLeak(resourceType, records);
        REPORTS.add(resourceType + " was not released; last seen:" + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        super.reportUntracedLeak(resourceType);
        REPORTS.add(resourceType + " was not released");
    }

    @Override
    protected boolean needReport() {
        return true;
    }

    /** Removes and returns all reports so far. */
    static List<String> drain() {
        List<String> reports = List.copyOf(REPORTS);
        REPORTS.removeAll(reports);
        return reports;
    }
}
