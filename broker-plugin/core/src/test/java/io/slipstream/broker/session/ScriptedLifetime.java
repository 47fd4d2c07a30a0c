// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

import java.util.concurrent.atomic.AtomicBoolean;

/** Expires when the test says so. */
public record ScriptedLifetime(AtomicBoolean over) implements SessionLifetime {
    @Override
    public boolean isOver(long nowNs) {
        return over.get();
    }

    @Override
    public Object current(Object requestContext) {
        return requestContext;
    }
}
