// SPDX-License-Identifier: Apache-2.0
package io.slipstream.traced;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.isNative;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.not;

import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import javax.management.JMException;
import javax.management.ObjectName;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;

/**
 * An agent that is attached to a running process. It weaves a call of {@link #called} into each Slipstream method
 * except constructors.
 */
public final class CallTracer implements CallsMXBean {
    public static final String BEAN = "io.slipstream.traced:type=Calls";

    private static final CallTracer INSTANCE = new CallTracer();
    private static volatile boolean noting;

    private final List<String> calls = new ArrayList<>();

    private CallTracer() {}

    public static void agentmain(String unused, Instrumentation instrumentation) throws JMException {
        new AgentBuilder.Default()
                .disableClassFormatChanges()
                .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
                .ignore(nameStartsWith("io.slipstream.shaded.").or(nameStartsWith("io.slipstream.traced.")))
                .type(nameStartsWith("io.slipstream."))
                .transform((builder, type, loader, module, domain) -> builder.visit(Advice.to(Entry.class)
                        .on(isMethod().and(not(isAbstract())).and(not(isNative())))))
                .installOn(instrumentation);
        ManagementFactory.getPlatformMBeanServer().registerMBean(INSTANCE, new ObjectName(BEAN));
    }

    /** Advice woven into methods. */
    static final class Entry {
        private Entry() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Origin("#t.#m") String method) {
            CallTracer.called(method);
        }
    }

    /** Called by woven methods on any thread. */
    public static void called(String method) {
        if (noting) {
            synchronized (INSTANCE.calls) {
                INSTANCE.calls.add(Thread.currentThread().getName() + CallsMXBean.SEPARATOR + method);
            }
        }
    }

    @Override
    public void start() {
        synchronized (calls) {
            calls.clear();
        }
        noting = true;
    }

    @Override
    public int getCount() {
        synchronized (calls) {
            return calls.size();
        }
    }

    @Override
    public List<String> stop() {
        noting = false;
        synchronized (calls) {
            return List.copyOf(calls);
        }
    }
}
