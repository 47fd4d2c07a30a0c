// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.asm.Advice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

public class HookInstallerTest {
    public static final List<Object> CALLS = new ArrayList<>();

    /** Stands for a class of the broker. */
    public static class Target {
        public String greet(String name) {
            return "hello " + name;
        }

        public String greet(int number) {
            return "hello " + number;
        }
    }

    public static final class GreetAdvice {
        private GreetAdvice() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.This Object target, @Advice.Argument(0) Object name) {
            CALLS.add(name);
        }
    }

    /** Defines Target from the installer's output, and never delegates Target to its parent. */
    private static final class WeavingLoader extends ClassLoader {
        private final HookInstaller installer;

        WeavingLoader(HookInstaller installer) {
            super(HookInstallerTest.class.getClassLoader());
            this.installer = installer;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Target.class.getName())) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }

        private Class<?> define(String name) {
            String internalName = name.replace('.', '/');
            try (InputStream resource = getParent().getResourceAsStream(internalName + ".class")) {
                byte[] original = resource.readAllBytes();
                byte[] woven = installer.transform(this, internalName, null, null, original);
                byte[] bytes = woven == null ? original : woven;
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static HookPoint hook(String method, String... parameterTypes) {
        return new HookPoint(Target.class.getName(), method, List.of(parameterTypes), GreetAdvice.class);
    }

    private static String greet(WeavingLoader loader) throws Exception {
        Class<?> target = loader.loadClass(Target.class.getName());
        return (String) target.getMethod("greet", String.class)
                .invoke(target.getConstructor().newInstance(), "you");
    }

    @Test
    void shouldWeaveTheOneMethodThatMatches() throws Exception {
        HookInstaller installer = new HookInstaller(List.of(hook("greet", "java.lang.String")));
        WeavingLoader loader = new WeavingLoader(installer);
        CALLS.clear();

        assertThat(installer.verify(loader)).isNull();
        assertThat(greet(loader)).isEqualTo("hello you");
        assertThat(CALLS).containsExactly("you");
    }

    @Test
    void shouldLeaveTheClassAloneIfOneHookDoesNotMatch() throws Exception {
        HookInstaller installer =
                new HookInstaller(List.of(hook("greet", "java.lang.String"), hook("greet", "java.lang.Long")));
        WeavingLoader loader = new WeavingLoader(installer);
        CALLS.clear();

        assertThat(installer.verify(loader)).contains("greet(java.lang.Long)").contains("matches 0 methods");
        assertThat(greet(loader)).isEqualTo("hello you");
        assertThat(CALLS).isEmpty();
    }

    /** The installer has removed its transformer by then, so the other agent must receive the woven class. */
    @Test
    void shouldStayWovenWhenAnotherAgentTransformsTheClassAgain() throws Exception {
        String name = "io.slipstream.broker.hook.UnloadedTarget";
        HookInstaller installer = new HookInstaller(
                List.of(new HookPoint(name, "greet", List.of("java.lang.String"), GreetAdvice.class)));
        Instrumentation instrumentation = ByteBuddyAgent.install();
        installer.install(instrumentation, getClass().getClassLoader());
        Class<?> target = Class.forName(name);
        List<String> transformed = new ArrayList<>();
        ClassFileTransformer other = new ClassFileTransformer() {
            @Override
            public byte[] transform(
                    ClassLoader loader, String className, Class<?> loaded, ProtectionDomain domain, byte[] classFile) {
                transformed.add(className);
                return loaded == target ? classFile : null;
            }
        };

        instrumentation.addTransformer(other, true);
        try {
            instrumentation.retransformClasses(target);
        } finally {
            instrumentation.removeTransformer(other);
        }

        assertThat(transformed).contains(name.replace('.', '/'));
        CALLS.clear();
        Object greeting = target.getMethod("greet", String.class)
                .invoke(target.getConstructor().newInstance(), "you");
        assertThat(greeting).isEqualTo("hello you");
        assertThat(CALLS).containsExactly("you");
        assertThat(installer.verify(getClass().getClassLoader())).isNull();
    }

    /** The class keeps the other agent's change and none of ours. */
    @Test
    void shouldTakeOutWhatItWoveWhileTheClassWasLoaded() throws Exception {
        String name = "io.slipstream.broker.hook.RemovedTarget";
        HookInstaller installer = new HookInstaller(
                List.of(new HookPoint(name, "greet", List.of("java.lang.String"), GreetAdvice.class)));
        Instrumentation instrumentation = ByteBuddyAgent.install();
        installer.install(instrumentation, getClass().getClassLoader());
        assertThat(installer.verify()).isNull();
        assertThat(callsOf(Class.forName(name))).containsExactly("you");
        List<String> offered = new ArrayList<>();
        ClassFileTransformer other = new ClassFileTransformer() {
            @Override
            public byte[] transform(
                    ClassLoader loader, String className, Class<?> loaded, ProtectionDomain domain, byte[] classFile) {
                offered.add(className);
                return null;
            }
        };

        instrumentation.addTransformer(other, true);
        try {
            assertThat(installer.remove()).isNull();
        } finally {
            instrumentation.removeTransformer(other);
        }

        assertThat(callsOf(Class.forName(name))).isEmpty();
        assertThat(offered).contains(name.replace('.', '/'));
        assertThat(installer.verify()).contains("removed");
    }

    public static class LoadedTarget {
        public String greet(String name) {
            return "hello " + name;
        }
    }

    @Test
    void shouldTakeOutWhatItWoveIntoALoadedClass() throws Exception {
        assertThat(callsOf(LoadedTarget.class)).isEmpty();
        HookInstaller installer = new HookInstaller(List.of(
                new HookPoint(LoadedTarget.class.getName(), "greet", List.of("java.lang.String"), GreetAdvice.class)));
        installer.install(ByteBuddyAgent.install(), getClass().getClassLoader());
        assertThat(callsOf(LoadedTarget.class)).containsExactly("you");

        assertThat(installer.remove()).isNull();

        assertThat(callsOf(LoadedTarget.class)).isEmpty();
    }

    @Test
    void shouldWeaveAgainWhatItTookOut() throws Exception {
        String name = "io.slipstream.broker.hook.AgainTarget";
        HookInstaller installer = new HookInstaller(
                List.of(new HookPoint(name, "greet", List.of("java.lang.String"), GreetAdvice.class)));
        installer.install(ByteBuddyAgent.install(), getClass().getClassLoader());

        for (int round = 0; round < 2; round++) {
            assertThat(installer.remove()).isNull();
            assertThat(installer.remove()).isNull();
            assertThat(callsOf(Class.forName(name))).isEmpty();
            assertThat(installer.weave()).isNull();
            assertThat(installer.weave()).isNull();
            assertThat(callsOf(Class.forName(name))).containsExactly("you");
        }
    }

    @Test
    void shouldLeaveAloneTheSameClassOfAnotherLoader() throws Exception {
        HookInstaller installer = new HookInstaller(List.of(hook("greet", "java.lang.String")));
        installer.install(ByteBuddyAgent.install(), getClass().getClassLoader());
        CALLS.clear();

        assertThat(greet(new WeavingLoader(installer))).isEqualTo("hello you");

        assertThat(CALLS).isEmpty();
        assertThat(installer.verify()).isNull();
        installer.remove();
    }

    /** The class was loaded before the installer. */
    @Test
    void shouldWeaveALoadedClassAgain() throws Exception {
        assertThat(callsOf(AgainLoadedTarget.class)).isEmpty();
        HookInstaller installer = new HookInstaller(List.of(new HookPoint(
                AgainLoadedTarget.class.getName(), "greet", List.of("java.lang.String"), GreetAdvice.class)));
        installer.install(ByteBuddyAgent.install(), getClass().getClassLoader());

        assertThat(installer.remove()).isNull();
        assertThat(callsOf(AgainLoadedTarget.class)).isEmpty();
        assertThat(installer.weave()).isNull();
        assertThat(callsOf(AgainLoadedTarget.class)).containsExactly("you");
    }

    public static class AgainLoadedTarget {
        public String greet(String name) {
            return "hello " + name;
        }
    }

    /** A thread that entered the method while it was not woven runs no advice at its end. */
    @Test
    @Timeout(60)
    void shouldWaitForThreadsInMethodsThatWereNotWoven() throws Exception {
        HookInstaller installer = new HookInstaller(
                List.of(new HookPoint(SlowTarget.class.getName(), "greet", List.of(), Advised.class)));
        installer.install(ByteBuddyAgent.install(), getClass().getClassLoader());
        installer.remove();
        Thread inside = new Thread(SlowTarget::greet);
        inside.start();
        SlowTarget.ENTERED.await();

        CompletableFuture<String> woven = CompletableFuture.supplyAsync(installer::weave);
        await().until(() -> installer.verify() == null);
        assertThat(woven).isNotDone();
        SlowTarget.LEFT.countDown();

        assertThat(woven.get(30, TimeUnit.SECONDS)).isNull();
        inside.join();
    }

    public static class SlowTarget {
        static final CountDownLatch ENTERED = new CountDownLatch(1);
        static final CountDownLatch LEFT = new CountDownLatch(1);

        public static void greet() {
            ENTERED.countDown();
            assertThatCode(LEFT::await).doesNotThrowAnyException();
        }
    }

    public static final class Advised {
        private Advised() {}

        @Advice.OnMethodEnter
        static void enter() {}
    }

    private static List<Object> callsOf(Class<?> target) throws Exception {
        CALLS.clear();
        Object greeting = target.getMethod("greet", String.class)
                .invoke(target.getConstructor().newInstance(), "you");
        assertThat(greeting).isEqualTo("hello you");
        return List.copyOf(CALLS);
    }

    @Test
    void shouldNameAClassThatIsMissing() {
        HookInstaller installer =
                new HookInstaller(List.of(new HookPoint("no.such.Type", "run", List.of(), GreetAdvice.class)));

        assertThat(installer.verify(getClass().getClassLoader())).contains("no.such.Type");
    }

    @Test
    void shouldSayIfAClassWasLoadedPastTheInstaller() {
        HookInstaller installer = new HookInstaller(List.of(hook("greet", "java.lang.String")));

        assertThat(installer.verify(getClass().getClassLoader())).contains("was not offered");
    }
}
