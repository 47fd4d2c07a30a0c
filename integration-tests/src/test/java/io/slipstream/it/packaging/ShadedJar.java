// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.packaging;

import io.slipstream.process.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * A jar that contains other artefacts.
 *
 * @param jar path relative to the root
 * @param classpath file relative to the root that lists the permitted artefacts
 */
record ShadedJar(String jar, String classpath) {
    private static final String SHADED = "io/slipstream/shaded/";
    private static final String NATIVES = "META-INF/native/lib";
    private static final String SHADED_NATIVES = "META-INF/native/libio_slipstream_shaded_";

    Set<String> entries() {
        return entries(Checkout.root().resolve(jar));
    }

    String text(String entry) {
        try (ZipFile zip = new ZipFile(Checkout.root().resolve(jar).toFile())) {
            return new String(zip.getInputStream(zip.getEntry(entry)).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns licences by {@code artifactId:version}, as META-INF/LICENSE-binary lists them. */
    Map<String, List<String>> listed() {
        return text("META-INF/LICENSE-binary")
                .lines()
                .map(line -> line.split(":", -1))
                .filter(parts -> parts.length == 4)
                .collect(Collectors.toMap(
                        parts -> parts[1] + ":" + parts[2],
                        parts -> List.of(parts[3].trim().split(" OR ", -1))));
    }

    /** Returns entries by their artefact; unknown ones under the empty name. */
    Map<String, Set<String>> contents() {
        Map<String, String> owners = owners();
        Map<String, Set<String>> contents = new TreeMap<>();
        for (String entry : entries()) {
            if (!entry.startsWith("META-INF/") || entry.startsWith(NATIVES)) {
                contents.computeIfAbsent(owners.getOrDefault(key(entry), ""), owner -> new TreeSet<>())
                        .add(entry);
            }
        }
        return contents;
    }

    private Map<String, String> owners() {
        Map<String, String> owners = new HashMap<>();
        for (Path artefact : artefacts()) {
            Path version = artefact.getParent();
            String name = version.endsWith("target")
                    ? "slipstream"
                    : version.getParent().getFileName() + ":" + version.getFileName();
            entries(artefact).forEach(entry -> owners.putIfAbsent(key(entry), name));
        }
        return owners;
    }

    private List<Path> artefacts() {
        Path file = Checkout.root().resolve(classpath);
        try {
            Stream<Path> own = Stream.of(file.resolveSibling("classes"));
            return Stream.concat(
                            own,
                            Stream.of(Files.readString(file).trim().split(":", -1))
                                    .map(Path::of))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns an equal key for a relocated entry and its original: from the second package on, in lower case. */
    private static String key(String entry) {
        if (entry.startsWith(SHADED_NATIVES)) {
            return NATIVES.toLowerCase(Locale.ROOT) + entry.substring(SHADED_NATIVES.length());
        }
        String name = entry.startsWith(SHADED) ? entry.substring(SHADED.length()) : entry;
        return name.replaceFirst("^(io|org|net|com)/", "").toLowerCase(Locale.ROOT);
    }

    private static Set<String> entries(Path file) {
        if (Files.isDirectory(file)) {
            try (Stream<Path> files = Files.walk(file)) {
                return files.filter(Files::isRegularFile)
                        .map(path -> file.relativize(path).toString())
                        .collect(Collectors.toSet());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        try (ZipFile zip = new ZipFile(file.toFile())) {
            return zip.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(entry -> entry.getName())
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
