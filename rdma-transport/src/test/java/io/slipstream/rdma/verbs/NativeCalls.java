// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;

/** The natives as tests call them, and a record of those called. */
final class NativeCalls {
    private final NativeVerbs target = NativeLibrary.natives();
    private final Set<String> called = new ConcurrentSkipListSet<>();

    NativeVerbs verbs() {
        return (NativeVerbs) Proxy.newProxyInstance(
                NativeVerbs.class.getClassLoader(), new Class<?>[] {NativeVerbs.class}, (proxy, method, arguments) -> {
                    called.add(method.getName());
                    return invoke(method, target, arguments);
                });
    }

    Set<String> notCalled() {
        Set<String> names = Arrays.stream(NativeVerbs.class.getMethods())
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        names.removeAll(called);
        return names;
    }

    private static Object invoke(Method method, Object target, Object[] arguments) throws Exception {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw (Error) e.getCause();
        }
    }
}
