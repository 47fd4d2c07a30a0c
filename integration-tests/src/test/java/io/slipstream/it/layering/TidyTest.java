// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.layering;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.Checkout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules that the formatter does not check: width of comments and prose, length of classes, package descriptions. */
class TidyTest {
    private static final int MOST_LINES = 450;

    @Test
    void shouldHaveNoCommentWiderThan120Columns() {
        assertThat(all(".java", Sources::wideComments)).isEmpty();
    }

    @Test
    void shouldHaveNoProseWiderThan120Columns() {
        assertThat(all(".md", Sources::wideProse)).isEmpty();
    }

    @Test
    void shouldHaveNoProductionClassOfMoreThan450Lines() {
        assertThat(Sources.production())
                .hasSizeGreaterThan(100)
                .filteredOn(file -> Sources.lines(file).size() > MOST_LINES)
                .isEmpty();
    }

    @Test
    void shouldHaveAPackageInfoInEveryProductionPackage() {
        assertThat(Sources.production().stream().map(Path::getParent).distinct())
                .hasSizeGreaterThan(10)
                .allSatisfy(directory -> assertThat(
                                Files.exists(Checkout.root().resolve(directory).resolve("package-info.java")))
                        .as("package-info of %s", directory)
                        .isTrue());
    }

    /** The tests above must be able to fail. */
    @Test
    void shouldReportWideCommentsAndProse() {
        String wide = "word ".repeat(24) + "x";
        String link = "[text](" + "x".repeat(120) + ")";

        assertThat(Sources.wideComments(
                        List.of("// " + wide, "     * " + wide, "int i; // " + wide, "i = \"" + wide + "\";")))
                .hasSize(3);
        assertThat(Sources.wideComments(List.of("/**", " * <pre>", " * " + wide, " * </pre>", " * " + wide)))
                .singleElement()
                .asString()
                .startsWith("5: ");
        assertThat(Sources.wideProse(List.of(wide, "| " + wide, link, "```", wide, "```", "- " + wide)))
                .hasSize(2);
    }

    private static List<String> all(String ending, Function<List<String>, List<String>> check) {
        List<Path> files = Sources.named(ending);
        assertThat(files).hasSizeGreaterThan(10);
        return files.stream()
                .flatMap(file -> {
                    Stream<String> found = check.apply(Sources.lines(file)).stream();
                    return found.map(line -> file + ":" + line);
                })
                .toList();
    }
}
