// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.pool.TypePool;

/**
 * Weaves advice into the broker's methods without a change of the class format. A class stays unchanged unless each of
 * its hooks matches exactly one method; {@link #verify} reports this before the plugin becomes active. {@link #remove}
 * takes the advice out again while the plugin is not active.
 */
public class HookInstaller implements ClassFileTransformer {
    private final Map<String, List<HookPoint>> hooksByInternalName;
    private final Map<String, String> outcomes = new ConcurrentHashMap<>();

    private static final String WOVEN = "";
    private static final String REMOVED = "the hooks were removed";
    private static final int MOST_LOOKS = 500;
    private static final long BETWEEN_LOOKS_NS = 20_000_000;
    private Instrumentation instrumentation;
    private ClassLoader loader;
    private boolean isActive;

    public HookInstaller(List<HookPoint> hooks) {
        hooksByInternalName = hooks.stream()
                .collect(Collectors.groupingBy(
                        hook -> hook.className().replace('.', '/'), LinkedHashMap::new, Collectors.toList()));
    }

    /** Weaves the hooks of another one into the same broker. */
    public synchronized void weaveAlso(HookInstaller other) {
        other.install(instrumentation, loader);
    }

    /** Weaves the advice into the broker's classes before they are initialised. Never throws. */
    public synchronized void install(Instrumentation target, ClassLoader brokerLoader) {
        instrumentation = target;
        loader = brokerLoader;
        weave();
    }

    /**
     * Weaves all hooks, again if {@link #remove} has restored the classes. Waits until no thread is in a method that it
     * entered without the advice. Returns null on success, else the problem.
     */
    public synchronized String weave() {
        if (!isActive) {
            isActive = true;
            instrumentation.addTransformer(this, true);
        }
        // Loading a class weaves it. Some may have been loaded before.
        if (verify() == null) {
            return null;
        }
        for (String name : hooksByInternalName.keySet()) {
            if (!WOVEN.equals(outcomes.get(name))) {
                retransform(name);
            }
        }
        String problem = verify();
        return problem == null ? occupied() : problem;
    }

    /**
     * Restores all hooked classes while the plugin does not serve. Returns null on success, else the class that could
     * not be restored and the reason; its hooks then do nothing.
     */
    public synchronized String remove() {
        if (!isActive) {
            return null;
        }
        isActive = false;
        instrumentation.removeTransformer(this);
        String failure = null;
        for (String name : hooksByInternalName.keySet()) {
            if (WOVEN.equals(outcomes.put(name, REMOVED)) && !retransform(name)) {
                failure = name + ": " + outcomes.get(name);
            }
        }
        return failure;
    }

    /** Has the JVM offer the class to the transformers once more. Returns false, with the outcome, if that fails. */
    private boolean retransform(String internalName) {
        try {
            instrumentation.retransformClasses(Class.forName(internalName.replace('/', '.'), false, loader));
            return true;
        } catch (Throwable e) {
            outcomes.put(internalName, e.toString());
            return false;
        }
    }

    /** Returns null once no thread is in a hooked method. */
    protected String occupied() {
        StackTraceElement frame = null;
        for (int i = 0; i < MOST_LOOKS; i++) {
            frame = Thread.getAllStackTraces().values().stream()
                    .flatMap(Arrays::stream)
                    .filter(this::isHooked)
                    .findAny()
                    .orElse(null);
            if (frame == null) {
                return null;
            }
            LockSupport.parkNanos(BETWEEN_LOOKS_NS);
        }
        return "a thread stays in " + frame;
    }

    private boolean isHooked(StackTraceElement frame) {
        return hooksByInternalName.getOrDefault(frame.getClassName().replace('.', '/'), List.of()).stream()
                .anyMatch(hook -> hook.methodName().equals(frame.getMethodName()));
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String className, Class<?> loaded, ProtectionDomain domain, byte[] classFile) {
        List<HookPoint> hooks = className == null ? null : hooksByInternalName.get(className);
        // Other loaders may have classes of these names, such as that of a storage plugin with its own Kafka client.
        if (hooks == null || (this.loader != null && this.loader != loader)) {
            return null;
        }
        try {
            return weave(loader, className, hooks, classFile);
        } catch (Throwable e) {
            outcomes.put(className, e.toString());
            return null;
        }
    }

    private byte[] weave(ClassLoader loader, String className, List<HookPoint> hooks, byte[] classFile) {
        String name = className.replace('/', '.');
        ClassFileLocator locator = new ClassFileLocator.Compound(
                ClassFileLocator.Simple.of(name, classFile), ClassFileLocator.ForClassLoader.of(loader));
        TypeDescription type = TypePool.Default.of(locator).describe(name).resolve();
        for (HookPoint hook : hooks) {
            int matches = type.getDeclaredMethods().filter(matcher(hook)).size();
            if (matches != 1) {
                outcomes.put(className, hook + " matches " + matches + " methods of this broker");
                return null;
            }
        }
        // Decoration changes method bodies only. A retransformation requires that, and other agents are not disturbed.
        DynamicType.Builder<?> builder =
                new ByteBuddy().with(TypeValidation.DISABLED).decorate(type, locator);
        for (HookPoint hook : hooks) {
            builder = builder.visit(Advice.to(hook.advice()).on(matcher(hook)));
        }
        byte[] woven = builder.make().getBytes();
        outcomes.put(className, WOVEN);
        return woven;
    }

    private static ElementMatcher<MethodDescription> matcher(HookPoint hook) {
        return method -> method.getInternalName().equals(hook.methodName())
                && method.getParameters().asTypeList().asErasures().stream()
                        .map(TypeDescription::getName)
                        .toList()
                        .equals(hook.parameterTypes());
    }

    /** Calls {@link #verify(ClassLoader)} with the class loader given to {@link #install}. */
    public String verify() {
        return verify(loader);
    }

    /** Returns null if every hook is woven, else the problem. Loads hooked classes that are not loaded yet. */
    public String verify(ClassLoader brokerLoader) {
        for (String internalName : hooksByInternalName.keySet()) {
            String className = internalName.replace('/', '.');
            try {
                Class.forName(className, false, brokerLoader);
            } catch (ClassNotFoundException | LinkageError e) {
                return "class " + className + " cannot be loaded: " + e;
            }
            String outcome = outcomes.get(internalName);
            if (outcome == null) {
                return "class " + className + " was not offered for weaving";
            } else if (!outcome.equals(WOVEN)) {
                return outcome;
            }
        }
        return null;
    }
}
