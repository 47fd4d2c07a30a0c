package io.slipstream.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Logging of broker JVMs: everything to standard output, which goes to a file. */
public final class BrokerLogging {
    private static final String CONFIGURATION = """
            <Configuration status="WARN" shutdownHook="disable">
              <Appenders>
                <Console name="out" target="SYSTEM_OUT"><PatternLayout pattern="[%d] %p %m (%c)%n"/></Console>
              </Appenders>
              <Loggers>
                <Root level="INFO"><AppenderRef ref="out"/></Root>
              </Loggers>
            </Configuration>
            """;

    private BrokerLogging() {}

    /** Writes the configuration into the directory and returns the JVM argument that names it. */
    public static String jvmArgument(Path directory) {
        Path file = directory.resolve("log4j2.xml");
        try {
            Files.writeString(file, CONFIGURATION);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
        return "-Dlog4j2.configurationFile=" + file;
    }
}
