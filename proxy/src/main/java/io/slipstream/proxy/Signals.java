// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signals of the operating system. They are asked for by reflection: {@code sun.misc.Signal} is in every JDK's module
 * jdk.unsupported, but the compiler warns of it. A JVM that keeps a signal for itself ({@code -Xrs}) goes on without
 * ours.
 */
final class Signals {
    private static final Logger log = LoggerFactory.getLogger(Signals.class);

    private Signals() {}

    /**
     * Has that signal ({@code TERM}, without SIG) run the task, on a thread of the JVM's own; false if it cannot be
     * had.
     */
    static boolean on(String name, Runnable task) {
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
            return true;
        } catch (ReflectiveOperationException e) {
            log.debug("SIG{} is not ours", name, e);
            return false;
        }
    }
}
