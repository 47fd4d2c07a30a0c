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
import net.bytebuddy.dynamic.scaffold.InstrumentedType;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.pool.TypePool;

/**
 * Weaves advice into the broker's methods as their classes are loaded (or again, if they are loaded already), without changing a class's
 * format. A class whose hooks do not all match exactly one method stays as it is; {@link #verify} then tells, before the plugin
 * becomes active.
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

    /** Installs; never throws. */
    public void install(Instrumentation instrumentation) {
        instrumentation.addTransformer(this, true);
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            String internalName = loaded.getName().replace('.', '/');
            if (hooksByInternalName.containsKey(internalName)) {
                try {
                    instrumentation.retransformClasses(loaded);
                } catch (Throwable e) {
                    outcomes.put(internalName, e.toString());
                }
            }
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
        // No class-format change: as a retransformation must be, and so that other agents are not disturbed.
        DynamicType.Builder<?> builder = new ByteBuddy()
                .with(TypeValidation.DISABLED)
                .with(InstrumentedType.Factory.Default.FROZEN)
                .with(Implementation.Context.Disabled.Factory.INSTANCE)
                .redefine(type, locator);
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
