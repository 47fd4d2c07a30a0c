// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
 * takes the advice out again if the plugin does not become active. After {@link #keep} the advice stays.
 */
public class HookInstaller implements ClassFileTransformer {
    private final Map<String, List<HookPoint>> hooksByInternalName = new LinkedHashMap<>();
    private final Map<String, String> outcomes = new ConcurrentHashMap<>();
    /** Original class files of the woven classes by internal name, until {@link #keep} or {@link #remove}. */
    private final Map<String, byte[]> replaced = new ConcurrentHashMap<>();

    private static final String WOVEN = "";
    private static final String REMOVED = "the hooks were removed";
    private Instrumentation instrumentation;
    private ClassLoader loader;
    private boolean watches;

    public HookInstaller(List<HookPoint> hooks) {
        for (HookPoint hook : hooks) {
            hooksByInternalName
                    .computeIfAbsent(hook.className().replace('.', '/'), name -> new ArrayList<>())
                    .add(hook);
        }
    }

    /**
     * Loads the hooked classes without initialising them, and weaves the advice. Never throws. Advice woven at load
     * time survives retransformation by other agents. The transformer is therefore removed, and the JVM does not offer
     * the broker's other classes to it. It stays only if some of the hooked classes were already loaded.
     */
    public synchronized void install(Instrumentation target, ClassLoader brokerLoader) {
        instrumentation = target;
        loader = brokerLoader;
        List<Class<?>> loadedBefore = new ArrayList<>();
        for (Class<?> loaded : target.getAllLoadedClasses()) {
            if (hooksByInternalName.containsKey(loaded.getName().replace('.', '/'))) {
                loadedBefore.add(loaded);
            }
        }
        watches = !loadedBefore.isEmpty();
        target.addTransformer(this, watches);
        if (watches) {
            loadedBefore.forEach(loaded -> retransform(target, loaded));
        } else {
            verify(brokerLoader);
            target.removeTransformer(this);
        }
    }

    /** Keeps the hooks for the life of the JVM; called when the plugin serves. */
    public synchronized void keep() {
        replaced.clear();
        instrumentation = null;
    }

    /**
     * Restores all hooked classes; called when the plugin does not serve. Returns null on success, else the class that
     * could not be restored and the reason; its hooks then do nothing. No effect after {@link #keep}.
     */
    public synchronized String remove() {
        if (instrumentation == null) {
            return null;
        }
        instrumentation.removeTransformer(this);
        String failure = null;
        for (Map.Entry<String, byte[]> entry : replaced.entrySet()) {
            try {
                restore(Class.forName(entry.getKey().replace('/', '.'), false, loader), entry.getValue());
                outcomes.put(entry.getKey(), REMOVED);
            } catch (Throwable e) {
                failure = entry.getKey() + ": " + e;
            }
        }
        keep();
        return failure;
    }

    /**
     * Restores one class. If the advice was woven at load time, the JVM treats it as part of the class file, so the
     * class is redefined. Transformers of other agents then see it as if it were loaded.
     */
    private void restore(Class<?> woven, byte[] file) throws Exception {
        if (watches) {
            instrumentation.retransformClasses(woven);
        } else {
            instrumentation.redefineClasses(new ClassDefinition(woven, file));
        }
    }

    private void retransform(Instrumentation instrumentation, Class<?> loaded) {
        try {
            instrumentation.retransformClasses(loaded);
        } catch (Throwable e) {
            outcomes.put(loaded.getName().replace('.', '/'), e.toString());
        }
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String className, Class<?> loaded, ProtectionDomain domain, byte[] classFile) {
        List<HookPoint> hooks = className == null ? null : hooksByInternalName.get(className);
        if (hooks == null) {
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
        replaced.put(className, classFile);
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
