// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.judge.AnomalyTally;
import io.slipstream.faults.judge.Availability;
import io.slipstream.faults.judge.ClientErrors;
import io.slipstream.faults.judge.Service;
import io.slipstream.faults.schedule.FaultClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Compares the results of a seed through proxies with those directly at the brokers. Pure. */
final class Comparison {
    private Comparison() {}

    /**
     * A client that exceeds the control by more than 2 s. The control is one sample, so one such finding alone may show
     * a busy machine.
     */
    record Slower(Arm arm, int fault, String what) {
        boolean isIn(List<Slower> run) {
            return run.stream().anyMatch(other -> arm == other.arm && fault == other.fault);
        }

        @Override
        public String toString() {
            return arm + ": " + what;
        }
    }

    /** Returns {@link #certain} and {@link #slower} reasons for which the run fails. */
    static List<String> differences(Map<Arm, ArmResult> results) {
        List<String> differences = new ArrayList<>(certain(results));
        slower(results).forEach(slower -> differences.add(slower.toString()));
        return differences;
    }

    /**
     * Returns the reasons other than the times of the control. In any arm, a claimed invariant without facts. The
     * direct arm excuses as many anomalies as it shows, of the same kind, place and transactional id, and errors that
     * as many of its sessions saw at the same moment. A run with one arm has no excuse but the causes that a rule
     * names. The direct arm beside others is judged by its facts only.
     */
    static List<String> certain(Map<Arm, ArmResult> results) {
        List<String> differences = new ArrayList<>();
        ArmResult direct = results.get(Arm.DIRECT);
        results.forEach((arm, result) -> {
            result.report().unproven().forEach(invariant -> differences.add(arm + ": " + invariant + " has no facts"));
            if (arm != Arm.DIRECT || results.size() == 1) {
                judge(result, arm == Arm.DIRECT ? null : direct).forEach(what -> differences.add(arm + ": " + what));
            }
        });
        return differences;
    }

    /** @param direct null without one */
    private static List<String> judge(ArmResult result, ArmResult direct) {
        List<String> findings = new ArrayList<>();
        findings.addAll(AnomalyTally.beyond(
                direct == null ? Map.of() : direct.judgement().anomalies().counts(),
                result.judgement().anomalies().counts()));
        findings.addAll(result.judgement().duplicates().failures());
        Service service = result.judgement().service();
        findings.addAll(ClientErrors.unexplained(
                service, direct == null ? null : direct.judgement().service()));
        findings.addAll(Availability.alone(service));
        return findings;
    }

    /** Returns silences, waits and recoveries of proxied arms that are more than 2 s longer than the control's. */
    static List<Slower> slower(Map<Arm, ArmResult> results) {
        List<Slower> findings = new ArrayList<>();
        ArmResult direct = results.get(Arm.DIRECT);
        ArmResult tcp = results.get(Arm.TCP);
        results.forEach((arm, result) -> {
            if (arm != Arm.DIRECT && direct != null) {
                beside(result, direct, fault -> isComparable(fault, result, direct), findings);
            }
            if (arm == Arm.RDMA && tcp != null) {
                beside(
                        result,
                        tcp,
                        fault -> !(direct != null && isComparable(fault, result, direct))
                                && isComparable(fault, result, tcp),
                        findings);
            }
        });
        return findings;
    }

    /** Returns the findings whose arm and fault the other run of the seed shows, too. */
    static List<Slower> alsoIn(List<Slower> other, List<Slower> run) {
        return run.stream().filter(slower -> slower.isIn(other)).toList();
    }

    static List<Slower> notIn(List<Slower> other, List<Slower> run) {
        return run.stream().filter(slower -> !slower.isIn(other)).toList();
    }

    private static void beside(
            ArmResult result, ArmResult control, Predicate<Integer> comparable, List<Slower> findings) {
        Availability.beside(result.judgement().service(), control.judgement().service(), comparable)
                .forEach(excess -> findings.add(new Slower(result.arm(), excess.fault(), excess.what())));
    }

    /**
     * Overlapping faults are not comparable, because each changes the effect of the other. A fault of a proxy is
     * compared with the arm whose proxies have RDMA off. The loss of a queue pair must cost no more than no fault.
     */
    private static boolean isComparable(int fault, ArmResult result, ArmResult control) {
        boolean carriedOut =
                result.single(fault).filter(FaultOutcome::isCarriedOut).isPresent();
        return carriedOut
                && control.single(fault)
                        .filter(outcome -> outcome.isCarriedOut() || outcome.faultClass() == FaultClass.LINK_LOSS)
                        .isPresent();
    }
}
