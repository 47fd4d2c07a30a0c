// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Tool;
import io.slipstream.process.Checkout;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.PathCounts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A small program in another language, installed below {@code target/clients}. {@code BOOTSTRAP TOPIC produce} sends
 * each line of its standard input. {@code BOOTSTRAP TOPIC consume GROUP COUNT [OPTION]} joins the group, prints {@code
 * partition TAB value} for COUNT records and exits. Some programs also know {@code BOOTSTRAP TOPIC copy TARGET GROUP
 * COUNT OPTION}. It copies to the target in transactions, which also commit the group's offsets. Any failure gives a
 * non-zero status.
 */
final class LanguageClient {
    private static final Duration SET_UP_PATIENCE = Duration.ofMinutes(5);
    private static final int RECORDS = 5_000;

    private final String language;
    private final Path directory;

    LanguageClient(String language) throws IOException {
        this.language = language;
        directory = Files.createDirectories(Checkout.root().resolve("integration-tests/target/clients/" + language));
    }

    Path directory() {
        return directory;
    }

    /** Copies a client file from the test resources. Returns whether it is new or changed. */
    boolean place(String file) throws IOException {
        return place(file, file);
    }

    boolean place(String file, String as) throws IOException {
        Path target = directory.resolve(as);
        try (InputStream source = LanguageClient.class.getResourceAsStream("/clients/" + language + "/" + file)) {
            byte[] content = source.readAllBytes();
            if (Files.exists(target) && Arrays.equals(Files.readAllBytes(target), content)) {
                return false;
            }
            Path part = Files.write(directory.resolve("." + as + ".part"), content);
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
            return true;
        }
    }

    /** Runs an installation step from the language's package registry; the test is skipped if it fails. */
    void setUp(String... command) throws IOException, InterruptedException {
        ToolRun run = ToolRun.of(List.of(command), directory, List.of(), SET_UP_PATIENCE);
        if (run.status() != 0) {
            Tool.unavailable("cannot install the " + language + " client: " + run);
        }
    }

    /** Sends and receives through the proxy, and compares. */
    void roundTrip(Serving serving, List<String> program, String... options) throws Exception {
        String topic = serving.newTopic(language, 3);
        List<String> values = Delivery.values(language, RECORDS);
        MetricSamples before = serving.metrics();

        run(program, List.of(serving.proxyBootstrap(), topic, "produce"), values);
        List<String> consume = new ArrayList<>(
                List.of(serving.proxyBootstrap(), topic, "consume", topic + "-group", Integer.toString(RECORDS)));
        consume.addAll(List.of(options));
        ToolRun consumed = run(program, consume, List.of());

        Delivery.assertExact(consumed.output(), values);
        MetricSamples after = serving.metrics();
        Delivery.assertByRdma(PathCounts.in(after).since(PathCounts.in(before)), RECORDS, RECORDS);
        RequestShares.between(before, after).assertByRdma(List.of("PRODUCE", "FETCH"));
    }

    /** Copies records at exactly-once through the proxy, and compares. */
    void copy(Serving serving, List<String> program, String groupProtocol) throws Exception {
        String from = serving.newTopic(language + "-from", 1);
        String to = serving.newTopic(language + "-to", 1);
        List<String> values = Delivery.values(language, RECORDS);
        run(program, List.of(serving.proxyBootstrap(), from, "produce"), values);
        MetricSamples before = serving.metrics();
        List<String> copy = List.of(
                serving.proxyBootstrap(),
                from,
                "copy",
                to,
                "copiers-of-" + from,
                Integer.toString(RECORDS),
                groupProtocol);
        run(program, copy, List.of());

        MetricSamples after = serving.metrics();
        assertThat(TransactionalCopierIT.read(serving, to, RECORDS)).isEqualTo(values);
        RequestShares.between(before, after)
                .assertByRdma(List.of("PRODUCE", "FETCH", "TXN_OFFSET_COMMIT", "END_TXN", "OFFSET_FETCH"));
    }

    private ToolRun run(List<String> program, List<String> arguments, List<String> input) throws Exception {
        List<String> command = new ArrayList<>(program);
        command.addAll(arguments);
        return ToolRun.of(command, directory, input, ToolRun.PATIENCE).succeeded();
    }
}
