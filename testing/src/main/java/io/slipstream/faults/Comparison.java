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

/** Compares the results of a seed through proxies with those directly at the brokers. Pure. */
final class Comparison {
    private Comparison() {}

    /**
     * Returns the reasons for which the run fails. In any arm, a claimed invariant without facts. The direct arm
     * excuses as many anomalies as it shows, of the same kind, place and transactional id; errors that as many of its
     * sessions saw at the same moment; and silence, waits and recoveries that are at most 2 s longer than its own. A
     * run with one arm has no excuse but the causes that a rule names. The direct arm beside others is judged by its
     * facts only.
     */
    static List<String> differences(Map<Arm, ArmResult> results) {
        List<String> differences = new ArrayList<>();
        ArmResult direct = results.get(Arm.DIRECT);
        results.forEach((arm, result) -> {
            result.report().unproven().forEach(invariant -> differences.add(arm + ": " + invariant + " has no facts"));
            if (arm != Arm.DIRECT || results.size() == 1) {
                judge(result, arm == Arm.DIRECT ? null : direct, results.get(Arm.TCP))
                        .forEach(what -> differences.add(arm + ": " + what));
            }
        });
        return differences;
    }

    /**
     * @param direct null without one
     * @param tcp null without one
     */
    private static List<String> judge(ArmResult result, ArmResult direct, ArmResult tcp) {
        List<String> findings = new ArrayList<>();
        findings.addAll(AnomalyTally.beyond(
                direct == null ? Map.of() : direct.judgement().anomalies().counts(),
                result.judgement().anomalies().counts()));
        findings.addAll(result.judgement().duplicates().failures());
        Service service = result.judgement().service();
        findings.addAll(ClientErrors.unexplained(
                service, direct == null ? null : direct.judgement().service()));
        findings.addAll(Availability.alone(service));
        if (direct != null) {
            findings.addAll(Availability.beside(
                    service, direct.judgement().service(), fault -> isComparable(fault, result, direct)));
        }
        if (tcp != null && result.arm() == Arm.RDMA) {
            findings.addAll(Availability.beside(
                    service,
                    tcp.judgement().service(),
                    fault -> !(direct != null && isComparable(fault, result, direct))
                            && isComparable(fault, result, tcp)));
        }
        return findings;
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
