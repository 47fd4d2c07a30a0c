// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each released jar lists its contents and includes the licences. */
class ShadedJarIT {
    static Stream<ShadedJar> jars() {
        return Stream.of(
                new ShadedJar("proxy/target/slipstream-proxy.jar", "proxy/target/shaded.classpath"),
                new ShadedJar("cli/target/slipstream-cli.jar", "cli/target/shaded.classpath"),
                new ShadedJar(
                        "broker-plugin/target/slipstream-broker-plugin.jar",
                        "broker-plugin/agent/target/shaded.classpath"));
    }

    @ParameterizedTest
    @MethodSource("jars")
    void shouldListEveryArtefactInside(ShadedJar jar) {
        Map<String, Set<String>> contents = jar.contents();

        assertThat(contents.get("")).as("entries of unknown origin").isNull();
        assertThat(jar.listed().keySet().stream().filter(name -> !name.startsWith("slipstream-")))
                .hasSizeGreaterThan(20)
                .containsAll(artefacts(contents));
    }

    @ParameterizedTest
    @MethodSource("jars")
    void shouldCarryTheTextOfEveryLicence(ShadedJar jar) {
        Set<String> entries = jar.entries();

        assertThat(entries).contains("META-INF/LICENSE", "META-INF/NOTICE");
        assertThat(jar.text("META-INF/LICENSE")).contains("Apache License", "Version 2.0, January 2004");
        assertThat(jar.text("META-INF/NOTICE")).contains("The Slipstream authors");
        assertThat(jar.listed())
                .isNotEmpty()
                .allSatisfy((artefact, licences) -> assertThat(licences)
                        .isNotEmpty()
                        .allSatisfy(licence -> assertThat(entries).contains("META-INF/licenses/" + licence + ".txt")));
    }

    /** The proxy never decompresses a batch, so it needs no codec libraries for twenty platforms. */
    @ParameterizedTest
    @MethodSource("jars")
    void shouldHaveNoLibrariesButOurOwnAndTheTransport(ShadedJar jar) {
        List<String> libraries = jar.entries().stream()
                .filter(entry -> entry.matches(".*\\.(so|dll|dylib|jnilib|a)"))
                .filter(entry -> !entry.matches("native/[^/]*/?libdisni[^/]*\\.so"))
                .filter(entry -> !entry.matches("com/sun/jna/linux-(x86-64|aarch64)/libjnidispatch\\.so"))
                .filter(entry -> !entry.matches(
                        "META-INF/native/lib(io_slipstream_shaded_)?netty_transport_native_epoll_.*\\.so"))
                .toList();

        assertThat(libraries).isEmpty();
    }

    private static Set<String> artefacts(Map<String, Set<String>> contents) {
        Set<String> artefacts = new TreeSet<>(contents.keySet());
        artefacts.remove("slipstream");
        return artefacts;
    }
}
