// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;

/**
 * Defines the classes of the two packages that hold native methods. DiSNI calls {@code System.loadLibrary}, which would
 * search {@code java.library.path} only; the JVM asks this loader for the path of {@code libdisni.so} instead. All
 * other classes come from the parent, including {@link NativeVerbs}, through which the natives are called.
 */
final class NativeClassLoader extends ClassLoader {
    private static final String DISNI = "com.ibm.disni.";
    private static final String OURS = NativeClassLoader.class.getPackageName() + ".jni.";

    static {
        registerAsParallelCapable();
    }

    private final Path library;

    private NativeClassLoader(Path library) {
        super("slipstream-native", NativeClassLoader.class.getClassLoader());
        this.library = library;
    }

    /** Throws UnsatisfiedLinkError, among other LinkageErrors, if the library cannot be loaded. */
    static NativeVerbs instantiate(Path library) throws ReflectiveOperationException {
        try {
            return (NativeVerbs) new NativeClassLoader(library)
                    .loadClass(OURS + "DisniVerbs")
                    .getConstructor()
                    .newInstance();
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof LinkageError failure) {
                throw failure;
            }
            throw e;
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(DISNI) && !name.startsWith(OURS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = file.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    @Override
    protected String findLibrary(String name) {
        return name.equals("disni") ? library.toString() : null;
    }
}
