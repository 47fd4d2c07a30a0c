// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.it.Thorough;
import io.slipstream.it.generated.ApiVersion;
import io.slipstream.it.generated.GeneratedScript;
import io.slipstream.it.generated.Names;
import io.slipstream.it.generated.NamesSetup;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.protocol.ApiKeys;

/** Requests of every API of clients, at its oldest and its newest version, with right and with wrong fields. */
final class GeneratedCases {
    /** Each draws other values, because the name of a case is part of its seed. */
    private static final int THOROUGH_TIMES = 8;

    private GeneratedCases() {}

    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (int i = 1; i <= (Thorough.isAsked() ? THOROUGH_TIMES : 1); i++) {
            String suffix = i == 1 ? "" : "-" + i;
            cases.add(Case.of("generated-requests-of-the-ring" + suffix, arm -> run(arm, ApiVersion.ofRing()))
                    .byRdma(ApiKeys.PRODUCE)
                    .onlyByRdma(Case.OF_RING));
            cases.add(Case.of(
                    "generated-requests-beside-the-ring" + suffix, arm -> run(arm, ApiVersion.besideTheRing())));
        }
        return cases;
    }

    private static void run(ArmContext arm, List<ApiVersion> versions) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        TopicRef changed = arm.topic("changed", 1);
        arm.forgetLog(changed);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(2, 60));
        Names names = NamesSetup.create(arm.arm().broker(), NamesSetup.newOwn(), topic, changed, versions);
        new GeneratedScript(names, arm.random(), answer -> ResponseText.of(answer, UnaryOperator.identity()))
                .run(versions, new ReopenedConnection(arm, client), arm::note);
    }

    /** Opens another connection when the broker has closed one. */
    private static final class ReopenedConnection implements GeneratedScript.Connection {
        private final ArmContext arm;
        private RawClient client;

        ReopenedConnection(ArmContext arm, RawClient client) {
            this.arm = arm;
            this.client = client;
        }

        @Override
        public RawResponse call(RequestFrame frame) throws IOException {
            client.send(frame);
            try {
                return client.receive();
            } catch (EOFException | SocketException closed) {
                client = arm.connect();
                return null;
            }
        }
    }
}
