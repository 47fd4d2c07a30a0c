// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.named;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.scaffold.InstrumentedType;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.pool.TypePool;

/** A planted bug. close() restores the class. A class loaded later is woven as well. */
public final class Planting implements ClassFileTransformer, AutoCloseable {
    private final PlantedBug bug;
    private final Instrumentation instrumentation;
    private volatile Throwable failure;
    private volatile boolean woven;

    private Planting(PlantedBug bug, Instrumentation instrumentation) {
        this.bug = bug;
        this.instrumentation = instrumentation;
    }

    /**
     * Plants the bug.
     *
     * @throws IllegalStateException if its class is loaded and cannot be woven
     */
    public static Planting of(PlantedBug bug, Instrumentation instrumentation) {
        Planting planting = new Planting(bug, instrumentation);
        instrumentation.addTransformer(planting, true);
        planting.weaveLoaded();
        if (planting.failure != null) {
            planting.close();
            throw new IllegalStateException(bug.name() + " could not be planted", planting.failure);
        }
        return planting;
    }

    public PlantedBug bug() {
        return bug;
    }

    /** Returns whether a class has been woven. */
    public boolean isWoven() {
        return woven;
    }

    private void weaveLoaded() {
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (loaded.getName().equals(bug.className())) {
                try {
                    instrumentation.retransformClasses(loaded);
                } catch (UnmodifiableClassException e) {
                    failure = e;
                }
            }
        }
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String className, Class<?> loaded, ProtectionDomain domain, byte[] classFile) {
        if (className == null || !className.replace('/', '.').equals(bug.className())) {
            return null;
        }
        try {
            byte[] changed = weave(loader, classFile);
            woven = true;
            return changed;
        } catch (Throwable e) {
            failure = e;
            return null;
        }
    }

    private byte[] weave(ClassLoader loader, byte[] classFile) {
        ClassFileLocator locator = new ClassFileLocator.Compound(
                ClassFileLocator.Simple.of(bug.className(), classFile),
                ClassFileLocator.ForClassLoader.of(loader),
                ClassFileLocator.ForClassLoader.of(Planting.class.getClassLoader()));
        TypeDescription type =
                TypePool.Default.of(locator).describe(bug.className()).resolve();
        ElementMatcher<MethodDescription> target =
                bug.method().equals("<init>") ? isConstructor() : named(bug.method());
        if (type.getDeclaredMethods().filter(target).isEmpty()) {
            throw new IllegalStateException(bug.className() + " has no method " + bug.method());
        }
        return new ByteBuddy()
                .with(TypeValidation.DISABLED)
                .with(InstrumentedType.Factory.Default.FROZEN)
                .with(Implementation.Context.Disabled.Factory.INSTANCE)
                .redefine(type, locator)
                .visit(Advice.to(bug.advice(), locator).on(target))
                .make()
                .getBytes();
    }

    @Override
    public void close() {
        instrumentation.removeTransformer(this);
        if (woven) {
            weaveLoaded();
        }
    }
}
