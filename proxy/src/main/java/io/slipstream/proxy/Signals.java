// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signals of the operating system. Accessed by reflection: {@code sun.misc.Signal} is in every JDK's module
 * jdk.unsupported, but the compiler warns about it. A JVM that keeps a signal for itself ({@code -Xrs}) runs without
 * this handler.
 */
final class Signals {
    private static final Logger log = LoggerFactory.getLogger(Signals.class);

    private Signals() {}

    /** Registers the task for a signal ({@code TERM}, without SIG) if it is free. It runs on a thread of the JVM. */
    static void on(String name, Runnable task) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler run = (proxy, method, arguments) -> {
                if (method.getDeclaringClass() == Object.class) {
                    return method.invoke(task, arguments);
                }
                task.run();
                return null;
            };
            signal.getMethod("handle", signal, handler)
                    .invoke(
                            null,
                            signal.getConstructor(String.class).newInstance(name),
                            Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, run));
        } catch (ReflectiveOperationException e) {
            log.debug("SIG{} is reserved by the JVM", name, e);
        }
    }
}
