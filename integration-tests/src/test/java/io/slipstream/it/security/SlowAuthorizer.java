// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;

/** Kafka's own authorizer, but each call takes {@value #CALL_MS} ms, as if it asked another server. */
public final class SlowAuthorizer extends StandardAuthorizer {
    static final int CALL_MS = 50;

    @Override
    public List<AuthorizationResult> authorize(AuthorizableRequestContext context, List<Action> actions) {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CALL_MS);
        for (long leftNs = endNs - System.nanoTime(); leftNs > 0; leftNs = endNs - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
        }
        return super.authorize(context, actions);
    }

    /** Does nothing: a JVM adds the jar of an agent to its class path. */
    public static final class Agent {
        private Agent() {}

        public static void premain(String argument) {}
    }

    /** Returns the JVM argument that adds this class to a broker's class path. */
    static String jvmArgument(TempDirectory directory) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Premain-Class", Agent.class.getName());
        Path jar = directory.path().resolve("slow-authorizer.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            for (Class<?> each : List.of(SlowAuthorizer.class, Agent.class)) {
                String name = each.getName().replace('.', '/') + ".class";
                out.putNextEntry(new JarEntry(name));
                try (InputStream bytes = SlowAuthorizer.class.getResourceAsStream('/' + name)) {
                    bytes.transferTo(out);
                }
            }
        }
        return "-javaagent:" + jar;
    }
}
