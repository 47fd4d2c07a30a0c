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
 * Weaves advice into the broker's methods, without changing a class's format. A class whose hooks do not all match
 * exactly one method stays as it is; {@link #verify} then tells, before the plugin becomes active. {@link #remove}
 * takes all of it out again, for a plugin that does not become active; {@link #keep} ends that possibility.
 */
public class HookInstaller implements ClassFileTransformer {
    private final Map<String, List<HookPoint>> hooksByInternalName = new LinkedHashMap<>();
    private final Map<String, String> outcomes = new ConcurrentHashMap<>();
    /**
     * Files of woven classes as they were before, by internal name, until it is decided whether the classes stay woven.
     */
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
     * Weaves now and never throws: loads the hooked classes, without initialising them. Advice that is woven as a class
     * is loaded stays in it when another agent transforms it again. So the transformer is removed, and the broker's
     * other classes are not read for it. It stays only if some of the hooked classes were loaded before.
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

    /** The plugin serves: the hooks stay for the life of the JVM. */
    public synchronized void keep() {
        replaced.clear();
        instrumentation = null;
    }

    /**
     * The plugin does not serve: all hooked classes become what they would be without it. Null if they did, else which
     * one did not and why; its hooks then do nothing. No effect after {@link #keep}.
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
     * A class that was woven while it was loaded has the advice in what the JVM takes for its file, so it is defined
     * again. Transformers of other agents see it then as if it were loaded.
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
        // Decorating changes bodies only, no class format: as a retransformation must, and so that other agents are not
        // disturbed.
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

    /** As {@link #verify(ClassLoader)}, of what was installed. */
    public String verify() {
        return verify(loader);
    }

    /** Null if every hook is woven in, else what is wrong. Loads hooked classes that are not loaded yet. */
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
