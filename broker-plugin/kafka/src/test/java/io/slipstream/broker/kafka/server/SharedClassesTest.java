// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.kafka.KafkaLine;
import io.slipstream.replication.Replication;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that the shared classes, which are compiled once, work with the line that runs this test. */
class SharedClassesTest {
    private static final List<Path> SOURCES = Stream.of("../kafka", "../../replication")
            .map(module -> Path.of(System.getProperty("basedir", "."), module, "src/main/java"))
            .toList();
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    @TempDir
    private Path compiled;

    @Test
    void shouldHaveTheSameBytecodeWhenCompiledAgainstThisLine() throws IOException {
        compileAgainstThisLine();
        List<String> classes = files(compiled, ".class");
        assertThat(classes)
                .contains(BrokerVersion.class.getName().replace('.', '/') + ".class")
                .contains(Replication.class.getName().replace('.', '/') + ".class");
        List<String> different = new ArrayList<>();
        for (String name : classes) {
            try (InputStream shared = BrokerVersion.class.getResourceAsStream("/" + name)) {
                assertThat(shared).as(name).isNotNull();
                byte[] ofThisLine = Files.readAllBytes(compiled.resolve(name));
                if (!Arrays.equals(shared.readAllBytes(), ofThisLine)) {
                    different.add(name);
                }
            }
        }
        assertThat(different)
                .as("of %d shared classes, those that name something that has moved", classes.size())
                .isEmpty();
    }

    /** Compiles with the options of the build. */
    private void compileAgainstThisLine() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = List.of(
                "--release", "17", "-g", "-parameters", "-proc:none", "-cp", CLASS_PATH, "-d", compiled.toString());
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            List<Path> sources = new ArrayList<>();
            for (Path root : SOURCES) {
                files(root, ".java").forEach(source -> sources.add(root.resolve(source)));
            }
            assertThat(compiler.getTask(
                                    errors, manager, null, options, null, manager.getJavaFileObjectsFromPaths(sources))
                            .call())
                    .as(errors::toString)
                    .isTrue();
        }
    }

    private static List<String> files(Path root, String ending) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.map(file -> root.relativize(file).toString())
                    .filter(name -> name.endsWith(ending))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void shouldNameTheHooksWithoutLoadingAClassOfTheBroker() throws Exception {
        List<URL> withoutKafka = new ArrayList<>();
        for (String entry : CLASS_PATH.split(File.pathSeparator)) {
            if (!entry.contains("/org/apache/kafka/") && !entry.contains("scala")) {
                withoutKafka.add(Path.of(entry).toUri().toURL());
            }
        }
        try (URLClassLoader loader =
                new URLClassLoader(withoutKafka.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
            Class<?> versions = loader.loadClass(BrokerVersion.class.getName());
            Object version = ServiceLoader.load(versions, loader).findFirst().orElseThrow();
            Object line = loader.loadClass(ServerLine.class.getName())
                    .getConstructor(versions)
                    .newInstance(version);
            Class<?> lines = loader.loadClass(KafkaLine.class.getName());
            assertThat((String) lines.getMethod("name").invoke(line)).startsWith("4.");
            assertThat((List<?>) lines.getMethod("hooks").invoke(line)).isNotEmpty();
        }
    }
}
