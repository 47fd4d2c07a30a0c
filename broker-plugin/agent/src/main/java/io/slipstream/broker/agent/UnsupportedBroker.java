// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import org.slf4j.LoggerFactory;

/** Changes no class. If this JVM turns out to be a broker, it logs once why the plugin is inert. */
record UnsupportedBroker(String reason) implements ClassFileTransformer {
    private static final String BROKER_CLASS = "kafka/server/BrokerServer";

    @Override
    public byte[] transform(
            ClassLoader loader, String className, Class<?> loaded, ProtectionDomain domain, byte[] classFile) {
        if (BROKER_CLASS.equals(className)) {
            LoggerFactory.getLogger(SlipstreamAgent.class)
                    .error("Slipstream is inert, this broker serves without it: {}", reason);
        }
        return null;
    }
}
