// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;

/** The natives as tests call them, through both interfaces, and a record of the natives called. */
final class NativeCalls {
    private final NativeVerbs target = NativeLibrary.natives();
    private final Object dispatcher = dispatcherOf(target);
    private final Set<String> calledVerbs = new ConcurrentSkipListSet<>();
    private final Set<String> calledOfDispatcher = new ConcurrentSkipListSet<>();

    NativeVerbs verbs() {
        return (NativeVerbs) Proxy.newProxyInstance(
                NativeVerbs.class.getClassLoader(), new Class<?>[] {NativeVerbs.class}, (proxy, method, arguments) -> {
                    calledVerbs.add(method.getName());
                    return invoke(method, target, arguments);
                });
    }

    /** Calls a native of DiSNI's dispatcher, whose class comes from another loader than this class. */
    long dispatcher(String name, Object... arguments) throws Exception {
        calledOfDispatcher.add(name);
        Method method = Arrays.stream(dispatcher.getClass().getMethods())
                .filter(candidate -> candidate.getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no native " + name));
        Object result = invoke(method, dispatcher, arguments);
        return result == null ? 0 : ((Number) result).longValue();
    }

    Set<String> verbsNotCalled() {
        Set<String> names = Arrays.stream(NativeVerbs.class.getMethods())
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        names.removeAll(calledVerbs);
        return names;
    }

    Set<String> dispatcherNotCalled() {
        Set<String> names = Arrays.stream(dispatcher.getClass().getMethods())
                .filter(method -> Modifier.isNative(method.getModifiers()))
                .map(Method::getName)
                .filter(name -> name.startsWith("_"))
                .collect(Collectors.toCollection(TreeSet::new));
        names.removeAll(calledOfDispatcher);
        return names;
    }

    private static Object dispatcherOf(NativeVerbs natives) {
        try {
            Field field = natives.getClass().getDeclaredField("dispatcher");
            field.setAccessible(true);
            return field.get(natives);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
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
