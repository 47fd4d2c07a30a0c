// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.process.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Judges what clients got: alone by absolute limits, and beside a control by the excess over its worst client. */
public final class Availability {
    /** A client of the judged arm may be so much worse than the worst client of its kind in the control. */
    static final long EXCESS_NS = Patience.ofSeconds(2).toNanos();
    /** The longest recovery, without a control: a record's delivery timeout is 20 s. */
    static final long RECOVERY_NS = Patience.ofSeconds(30).toNanos();
    /** The longest silence or wait of a client, whatever happens. */
    static final long SILENCE_NS = Patience.ofSeconds(60).toNanos();

    private static final long NS_PER_MS = 1_000_000;

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
    public static List<String> beside(Service judged, Service control, Predicate<Integer> comparable) {
        Map<Integer, Service.Window> controls = control.windows().stream()
                .collect(Collectors.toMap(Service.Window::fault, Function.identity()));
        List<String> findings = new ArrayList<>();
        for (Service.Window window : judged.windows()) {
            Service.Window other = controls.get(window.fault());
            if (other != null && comparable.test(window.fault())) {
                Comparing compared = new Comparing(window, other, findings);
                compared.by(ClientKind::isSelfPaced, Service.ClientService::silenceNs, "was silent", "during");
                compared.by(ClientKind::isSelfPaced, Service.ClientService::recoveryNs, "took", "to recover from");
                compared.by(ClientKind::isReader, Service.ClientService::waitNs, "waited", "for records with");
            }
        }
        return findings;
    }

    /** Compares one fault in two arms. */
    private record Comparing(Service.Window judged, Service.Window control, List<String> findings) {
        void by(Predicate<ClientKind> which, ToLongFunction<Service.ClientService> of, String did, String what) {
            judged.clients().forEach((name, client) -> {
                long ns = of.applyAsLong(client);
                long worstNs = control.clients().values().stream()
                        .filter(other -> other.kind() == client.kind())
                        .mapToLong(of)
                        .max()
                        .orElse(Long.MAX_VALUE - EXCESS_NS);
                if (which.test(client.kind()) && ns > worstNs + EXCESS_NS) {
                    findings.add(name + " " + did + " " + ms(ns) + " " + what + " " + judged.name()
                            + ", in the control " + ms(worstNs));
                }
            });
        }
    }

    private static String ms(long ns) {
        return String.format(Locale.ROOT, "%,d ms", ns / NS_PER_MS);
    }
}
