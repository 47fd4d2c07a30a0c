// SPDX-License-Identifier: Apache-2.0
package io.slipstream.awaits;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Makes Awaitility look at once, then after 2 ms, 4 ms and so on, up to 100 ms. By default each wait takes at least 100
 * ms, which adds up to much of the time of the tests. JUnit finds this class by {@code META-INF/services}.
 */
public final class PromptAwaits implements BeforeAllCallback {
    private static final Duration FIRST = Duration.ofMillis(2);
    private static final Duration LONGEST = Duration.ofMillis(100);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(IterativePollInterval.iterative(
                last -> last.compareTo(LONGEST) < 0 ? last.multipliedBy(2) : LONGEST, FIRST));
    }
}
