package io.slipstream.broker.fetch;

import static net.bytebuddy.matcher.ElementMatchers.named;

import io.slipstream.broker.hook.HookPoint;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.matcher.ElementMatcher;

/** Weaves hooks into this JVM, which runs broker and test. Once for the JVM: a hook that is woven stays. */
public final class HookWeaver {
    private HookWeaver() {}

    /** Throws if a class could not be transformed. */
    public static void weave(List<HookPoint> hooks) {
        Instrumentation instrumentation = ByteBuddyAgent.install();
        List<String> failures = new ArrayList<>();
        AgentBuilder agent = new AgentBuilder.Default()
                .disableClassFormatChanges()
                .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
                .with(AgentBuilder.InitializationStrategy.NoOp.INSTANCE)
                .with(AgentBuilder.TypeStrategy.Default.REDEFINE)
                .with(new AgentBuilder.Listener.Adapter() {
                    @Override
                    public void onError(
                            String type,
                            ClassLoader loader,
                            net.bytebuddy.utility.JavaModule module,
                            boolean loaded,
                            Throwable failure) {
                        failures.add(type + ": " + failure);
                    }
                });
        for (HookPoint hook : hooks) {
            agent = agent.type(named(hook.className()))
                    .transform((builder, type, loader, module, domain) ->
                            builder.visit(Advice.to(hook.advice()).on(method(hook))));
        }
        agent.installOn(instrumentation);
        hooks.stream().map(HookPoint::className).distinct().forEach(HookWeaver::load);
        if (!failures.isEmpty()) {
            throw new IllegalStateException("hooks could not be woven: " + failures);
        }
    }

    private static ElementMatcher<MethodDescription> method(HookPoint hook) {
        return candidate -> candidate.getActualName().equals(hook.methodName())
                && candidate.getParameters().asTypeList().asErasures().stream()
                        .map(TypeDescription::getName)
                        .toList()
                        .equals(hook.parameterTypes());
    }

    private static void load(String className) {
        try {
            Class.forName(className);
        } catch (ClassNotFoundException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
