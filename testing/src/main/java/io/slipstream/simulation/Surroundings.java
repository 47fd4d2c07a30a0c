// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.utility.OpenedClassReader;

/**
 * Connects proxy and plugin to a world. It weaves their classes at load time so that calls to the machine go to the
 * simulation. The production code has no hooks for this and therefore no cost.
 *
 * <pre>
 *   System.nanoTime()                     ▶ VirtualTime.nanoTime()
 *   VarHandle.storeStoreFence/fullFence() ▶ the same, then devices may act, between two stores of a slot
 *   EpollIoHandler.newFactory()           ▶ VirtualIo.factory()           (the plugin's handler threads)
 *   SlotReads.daemon(name)                ▶ VirtualThread.daemon(name)    (its heartbeat and its worker)
 *   ControlAddress.channel()              ▶ SimulatedChannel.type(given)  (the socket of the control channel)
 *   NameLookups.addressesOf(host, ...)    ▶ SimulatedChannel.addressesOf(lookups, host, ...) (names of brokers)
 *   CompletableFuture.orTimeout(...)      ▶ VirtualTime.orTimeout(...)
 *   ThreadLocalRandom.nextLong(...)       ▶ VirtualTime.nextLong(...)     (pauses before a link is set up again)
 *   Files.size(path)                      ▶ SimulatedFiles.size(path)     (of segments)
 * </pre>
 */
public final class Surroundings implements ClassFileTransformer {
    /** An array, because a transformer that makes the JDK load classes recurses. */
    private static final String[] SIMULATED = {
        "io/slipstream/link/",
        "io/slipstream/proxy/fetch/",
        "io/slipstream/proxy/ring/",
        "io/slipstream/proxy/rdma/",
        "io/slipstream/proxy/session/",
        "io/slipstream/broker/",
        "io/slipstream/replication/",
        "io/slipstream/protocol/slot/",
        "io/slipstream/protocol/ring/"
    };

    private static final Map<String, String> REPLACED = Map.of(
            "java/util/concurrent/CompletableFuture.orTimeout(JLjava/util/concurrent/TimeUnit;)Ljava/util/concurrent/CompletableFuture;",
                    "VirtualTime.orTimeout(Ljava/util/concurrent/CompletableFuture;JLjava/util/concurrent/TimeUnit;)Ljava/util/concurrent/CompletableFuture;",
            "java/lang/System.nanoTime()J", "VirtualTime.nanoTime()J",
            "java/util/concurrent/ThreadLocalRandom.nextLong(JJ)J",
                    "VirtualTime.nextLong(Ljava/util/concurrent/ThreadLocalRandom;JJ)J",
            "java/lang/invoke/VarHandle.storeStoreFence()V", "VirtualTime.storeStoreFence()V",
            "java/lang/invoke/VarHandle.fullFence()V", "VirtualTime.fullFence()V",
            "io/netty/channel/epoll/EpollIoHandler.newFactory()Lio/netty/channel/IoHandlerFactory;",
                    "VirtualIo.factory()Lio/netty/channel/IoHandlerFactory;",
            "io/slipstream/broker/fetch/SlotReads.daemon(Ljava/lang/String;)Ljava/util/concurrent/ScheduledThreadPoolExecutor;",
                    "VirtualThread.daemon(Ljava/lang/String;)Ljava/util/concurrent/ScheduledThreadPoolExecutor;",
            "io/slipstream/link/control/ControlAddress.channel()Ljava/lang/Class;",
                    "SimulatedChannel.type(Ljava/lang/Object;)Ljava/lang/Class;",
            "io/slipstream/link/net/NameLookups.addressesOf(Ljava/net/InetSocketAddress;Lio/netty/util/concurrent/EventExecutor;I)Lio/netty/util/concurrent/Future;",
                    "SimulatedChannel.addressesOf(Ljava/lang/Object;Ljava/net/InetSocketAddress;Lio/netty/util/concurrent/EventExecutor;I)Lio/netty/util/concurrent/Future;",
            "java/nio/file/Files.size(Ljava/nio/file/Path;)J", "SimulatedFiles.size(Ljava/nio/file/Path;)J");

    private static Instrumentation instrumentation;
    private static Throwable failure;

    private Surroundings() {}

    /**
     * Installs once per JVM; later calls do nothing.
     *
     * @throws IllegalStateException if a class cannot be woven
     */
    public static synchronized Instrumentation install() {
        if (instrumentation == null) {
            Instrumentation installed = ByteBuddyAgent.install();
            installed.addTransformer(new Surroundings(), true);
            List<Class<?>> loaded = new ArrayList<>();
            for (Class<?> each : installed.getAllLoadedClasses()) {
                if (isSimulated(each.getName().replace('.', '/')) && installed.isModifiableClass(each)) {
                    loaded.add(each);
                }
            }
            try {
                if (!loaded.isEmpty()) {
                    installed.retransformClasses(loaded.toArray(new Class<?>[0]));
                }
            } catch (UnmodifiableClassException e) {
                throw new IllegalStateException("a class of the proxy or plugin cannot be woven", e);
            }
            instrumentation = installed;
        }
        requireWoven();
        return instrumentation;
    }

    static void requireWoven() {
        if (failure != null) {
            throw new IllegalStateException("a class of the proxy or plugin could not be woven", failure);
        }
    }

    private static boolean isSimulated(String internalName) {
        for (String start : SIMULATED) {
            if (internalName != null && internalName.startsWith(start)) {
                return true;
            }
        }
        return false;
    }

    @Override
    @SuppressWarnings("StaticAssignmentOfThrowable")
    public byte[] transform(
            ClassLoader loader, String className, Class<?> loaded, ProtectionDomain domain, byte[] classFile) {
        if (!isSimulated(className)) {
            return null;
        }
        try {
            return weave(classFile);
        } catch (Throwable e) {
            failure = new IllegalStateException(className, e);
            return null;
        }
    }

    /**
     * Weaving changes only calls, never the shape of a class, so loaded classes can be woven too. Returns null for
     * other classes.
     */
    private static byte[] weave(byte[] classFile) {
        ClassReader reader = new ClassReader(classFile);
        ClassWriter writer = new ClassWriter(reader, 0);
        boolean[] changed = new boolean[1];
        reader.accept(
                new ClassVisitor(OpenedClassReader.ASM_API, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String descriptor, String signature, String[] exceptions) {
                        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
                        return new Calls(next, changed);
                    }
                },
                0);
        return changed[0] ? writer.toByteArray() : null;
    }

    private static final class Calls extends MethodVisitor {
        private final boolean[] changed;

        Calls(MethodVisitor next, boolean[] changed) {
            super(OpenedClassReader.ASM_API, next);
            this.changed = changed;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean ofInterface) {
            String replacement = REPLACED.get(owner + "." + name + descriptor);
            if (replacement == null) {
                super.visitMethodInsn(opcode, owner, name, descriptor, ofInterface);
                return;
            }
            changed[0] = true;
            int dot = replacement.indexOf('.');
            int parenthesis = replacement.indexOf('(');
            super.visitMethodInsn(
                    Opcodes.INVOKESTATIC,
                    "io/slipstream/simulation/" + replacement.substring(0, dot),
                    replacement.substring(dot + 1, parenthesis),
                    replacement.substring(parenthesis),
                    false);
        }
    }
}
