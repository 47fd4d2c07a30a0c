// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import java.util.Map;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives test methods the single {@link Cluster} of a run. It starts for the first test and closes after the last. After
 * a failure it saves the containers' logs. A test must restore the cluster: all brokers running, with this build's
 * plugin, and in sync.
 */
public final class SharedCluster implements BeforeAllCallback, ParameterResolver, AfterTestExecutionCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(SharedCluster.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        cluster(context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Cluster.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return cluster(context);
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            cluster(context)
                    .saveLogs(context.getRequiredTestClass().getSimpleName() + "."
                            + context.getRequiredTestMethod().getName());
        }
    }

    private static Cluster cluster(ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(Cluster.class, type -> Cluster.start(Map.of()), Cluster.class);
    }
}
