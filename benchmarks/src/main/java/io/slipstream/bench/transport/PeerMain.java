// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.RdmaProvider;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * The peer process of a measurement: {@code PROVIDER ADDRESS PROCESSOR [DEVICE PORT GID_INDEX]}. It writes its address
 * to standard output, then executes commands from standard input, one per line: {@code EXPERIMENT OPERATIONS}. It
 * acknowledges each before and after. It ends with its standard input.
 */
final class PeerMain {
    /** Prefix of messages to the measuring process; other lines are diagnostics. */
    static final String SAYS = "@ ";

    static final String LISTENING = SAYS + "listening ";
    static final String READY = SAYS + "ready";
    static final String DONE = SAYS + "done";

    private PeerMain() {}

    public static void main(String[] args) throws Exception {
        RdmaProvider provider = RdmaProvider.named(args[0]).orElseThrow();
        DeviceConfig config = DeviceConfig.DEFAULT;
        if (args.length > 3) {
            config = new DeviceConfig(
                    args[3],
                    Integer.parseInt(args[4]),
                    Integer.parseInt(args[5]),
                    config.retryCount(),
                    config.rnrRetryCount());
        }
        new Processor(Integer.parseInt(args[2])).pinThisThread();
        try (Endpoint endpoint = new Endpoint(provider, config)) {
            endpoint.accept(args[1], address -> say(LISTENING + address));
            say(READY);
            BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                String[] words = line.split(" ");
                say(READY);
                endpoint.answer(Experiment.valueOf(words[0]), Integer.parseInt(words[1]));
                say(DONE);
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
