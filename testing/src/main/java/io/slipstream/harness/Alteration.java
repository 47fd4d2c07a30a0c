// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness;

import io.slipstream.process.Patience;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/** Alters a setting of a running broker, a topic or a group. Brokers take it over some time later. */
public final class Alteration {
    private static final int PATIENCE_MS = 20_000;

    private Alteration() {}

    /**
     * Returns when the cluster has the setting.
     *
     * @param name of the resource; empty for all brokers
     * @param value null to delete the setting
     */
    public static void of(Admin admin, ConfigResource.Type type, String name, String key, String value)
            throws InterruptedException, ExecutionException, TimeoutException {
        AlterConfigOp change = new AlterConfigOp(
                new ConfigEntry(key, value), value == null ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(type, name), List.of(change)))
                .all()
                .get(Patience.ms(PATIENCE_MS), TimeUnit.MILLISECONDS);
    }

    /** The same for a broker, by node id; empty for all brokers. */
    public static void ofBroker(Admin admin, String node, String key, String value)
            throws InterruptedException, ExecutionException, TimeoutException {
        of(admin, ConfigResource.Type.BROKER, node, key, value);
    }
}
