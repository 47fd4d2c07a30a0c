// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.faults.schedule.FaultClass;
import io.slipstream.process.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Judges what clients got: alone by absolute limits, and beside a control by the excess over its worst client. */
public final class Availability {
    /** A client of the judged arm may be so much worse than the worst client of the control. */
    static final long EXCESS_NS = Patience.ofSeconds(2).toNanos();
    /** The longest recovery, without a control: a record's delivery timeout is 20 s. */
    static final long RECOVERY_NS = Patience.ofSeconds(30).toNanos();
    /** The longest silence or wait of a client, whatever happens. */
    static final long SILENCE_NS = Patience.ofSeconds(60).toNanos();

    private static final Set<String> PROXY_IS_GONE =
            Set.of(FaultClass.PROXY_KILL.label(), FaultClass.PROXY_PAUSE.label());

    private static final long NS_PER_MS = 1_000_000;

    /** A client that exceeds the control in a fault. */
    public record Excess(int fault, String what) {}

    private Availability() {}

    /** Returns what no run may show. */
    public static List<String> alone(Service judged) {
        List<String> findings = new ArrayList<>();
        if (judged.operations() == 0) {
            findings.add("no operation succeeded");
        }
        over(judged.silencesNs(), "was silent for", findings);
        over(judged.waitsNs(), "was given nothing, though there was something to read, for", findings);
        for (Service.Window window : judged.windows()) {
            boolean served = window.operations() > 0
                    || window.clients().values().stream().anyMatch(Service.ClientService::recovered);
            if (!served) {
                findings.add("no operation succeeded during and after " + window.name());
            }
            window.clients().forEach((name, client) -> {
                if (client.recoveryNs() > RECOVERY_NS) {
                    findings.add(name + " took " + ms(client.recoveryNs()) + " to recover from " + window.name());
                }
            });
        }
        return findings;
    }

    private static void over(Map<String, Long> longestNs, String what, List<String> findings) {
        longestNs.forEach((client, ns) -> {
            if (ns > SILENCE_NS) {
                findings.add(client + " " + what + " " + ms(ns));
            }
        });
    }

    /**
     * Returns what exceeds the control.
     *
     * @param comparable the faults that both arms had alone
     */
    public static List<Excess> beside(Service judged, Service control, Predicate<Integer> comparable) {
        Map<Integer, Service.Window> controls =
                control.windows().stream().collect(Collectors.toMap(Service.Window::fault, Function.identity()));
        List<Excess> findings = new ArrayList<>();
        for (Service.Window window : judged.windows()) {
            Service.Window other = controls.get(window.fault());
            if (other != null && !other.clients().isEmpty() && comparable.test(window.fault())) {
                compare(window, other, what -> findings.add(new Excess(window.fault(), what)));
            }
        }
        return findings;
    }

    /**
     * A silence or wait may be as long as the worst one of the control, however unlucky the client was. A fault that
     * lasts longer, because a process starts more slowly, may be felt for longer. A client of a proxy that is gone may
     * miss it as long as that, also if the control's clients all found another proxy at once.
     */
    private static void compare(Service.Window judged, Service.Window control, Consumer<String> findings) {
        long outageNs = Math.max(
                worst(control, ClientKind::isSelfPaced, Service.ClientService::silenceNs),
                worst(control, ClientKind::isReader, Service.ClientService::waitNs));
        long longerNs = Math.max(0, judged.durationNs() - control.durationNs());
        long goneNs = PROXY_IS_GONE.contains(judged.faultClass()) ? judged.durationNs() : 0;
        long mostNs = Math.max(outageNs + longerNs, goneNs) + EXCESS_NS;
        long recoveryNs = worst(control, ClientKind::isSelfPaced, Service.ClientService::recoveryNs);
        judged.clients().forEach((name, client) -> {
            boolean paced = client.kind().isSelfPaced();
            if (paced && client.silenceNs() > mostNs) {
                findings.accept(name + " was silent for " + ms(client.silenceNs()) + " in " + judged.name()
                        + ", in the control no client for longer than " + ms(outageNs));
            }
            if (client.kind().isReader() && client.waitNs() > mostNs) {
                findings.accept(name + " waited " + ms(client.waitNs()) + " for records in " + judged.name()
                        + ", in the control no client for longer than " + ms(outageNs));
            }
            if (paced && client.recoveryNs() > recoveryNs + EXCESS_NS) {
                findings.accept(name + " took " + ms(client.recoveryNs()) + " to recover from " + judged.name()
                        + ", in the control no client longer than " + ms(recoveryNs));
            }
        });
    }

    private static long worst(
            Service.Window window, Predicate<ClientKind> which, ToLongFunction<Service.ClientService> of) {
        return window.clients().values().stream()
                .filter(client -> which.test(client.kind()))
                .mapToLong(of)
                .max()
                .orElse(0);
    }

    private static String ms(long ns) {
        return String.format(Locale.ROOT, "%,d ms", ns / NS_PER_MS);
    }
}
