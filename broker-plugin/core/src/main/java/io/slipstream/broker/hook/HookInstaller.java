package io.slipstream.broker.hook;

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
 * Weaves advice into the broker's methods, without changing a class's format. A class whose hooks do not all match exactly one method
 * stays as it is; {@link #verify} then tells, before the plugin becomes active.
 */
public final class HookInstaller implements ClassFileTransformer {
    private final Map<String, List<HookPoint>> hooksByInternalName = new LinkedHashMap<>();
    private final Map<String, String> outcomes = new ConcurrentHashMap<>();
    private static final String WOVEN = "";

    public HookInstaller(List<HookPoint> hooks) {
        for (HookPoint hook : hooks) {
            hooksByInternalName
                    .computeIfAbsent(hook.className().replace('.', '/'), name -> new ArrayList<>())
                    .add(hook);
        }
    }

    /**
     * Weaves now and never throws: loads the hooked classes, without initialising them. What is woven as a class is loaded stays in it when
     * another agent transforms it again, so that this one need not watch the rest of the broker start, each class of which would be read
     * and offered to it. Only classes that were loaded before have to be watched for good.
     */
    public void install(Instrumentation instrumentation, ClassLoader brokerLoader) {
        List<Class<?>> loadedBefore = new ArrayList<>();
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (hooksByInternalName.containsKey(loaded.getName().replace('.', '/'))) {
                loadedBefore.add(loaded);
            }
        }
        if (loadedBefore.isEmpty()) {
            instrumentation.addTransformer(this, false);
            verify(brokerLoader);
            instrumentation.removeTransformer(this);
        } else {
            instrumentation.addTransformer(this, true);
            loadedBefore.forEach(loaded -> retransform(instrumentation, loaded));
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
        return woven;
    }

    private static ElementMatcher<MethodDescription> matcher(HookPoint hook) {
        return method -> method.getInternalName().equals(hook.methodName())
                && method.getParameters().asTypeList().asErasures().stream()
                        .map(TypeDescription::getName)
                        .toList()
                        .equals(hook.parameterTypes());
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
