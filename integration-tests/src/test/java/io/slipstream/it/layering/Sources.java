// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.layering;

import io.slipstream.process.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The project's text files, and their lines above the width limit. */
final class Sources {
    private static final int WIDTH = 120;
    private static final Set<String> NOT_OURS = Set.of("target", "node_modules", ".git", ".slipstream");
    private static final List<String> PRODUCTION =
            List.of("metrics", "rdma-transport", "protocol-adapter", "link", "proxy", "broker-plugin", "cli");
    /** A line comment after code. It ignores strings; a line with // in a string is within the formatter's limit. */
    private static final Pattern COMMENT = Pattern.compile("^\\s*(//|/\\*|\\*).*|.*[;{},(] // .*");

    private static final Pattern LINK = Pattern.compile("\\]\\([^)]*\\)|https?://\\S+|`[^`]{60,}`");

    private Sources() {}

    static List<Path> named(String ending) {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(Checkout.root(), new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    return NOT_OURS.contains(directory.getFileName().toString())
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (file.toString().endsWith(ending)) {
                        files.add(Checkout.root().relativize(file));
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    static List<Path> production() {
        return named(".java").stream()
                .filter(file -> PRODUCTION.contains(file.getName(0).toString()))
                .filter(file -> file.toString().contains("/src/main/java/"))
                .toList();
    }

    static List<String> lines(Path file) {
        try {
            return Files.readAllLines(Checkout.root().resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns comments above the width limit, except in {@code <pre>} and in addresses. */
    static List<String> wideComments(List<String> lines) {
        List<String> wide = new ArrayList<>();
        boolean preformatted = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            preformatted |= line.contains("<pre>");
            if (!preformatted && isWide(line) && COMMENT.matcher(line).matches()) {
                wide.add((i + 1) + ": " + line.strip());
            }
            preformatted &= !line.contains("</pre>");
        }
        return wide;
    }

    /** Returns prose above the width limit, except tables, code, pictures and link addresses. */
    static List<String> wideProse(List<String> lines) {
        List<String> wide = new ArrayList<>();
        boolean code = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.strip().startsWith("```")) {
                code = !code;
            } else if (!code && !line.strip().startsWith("|") && isWide(line)) {
                wide.add((i + 1) + ": " + line.strip());
            }
        }
        return wide;
    }

    private static boolean isWide(String line) {
        String text = LINK.matcher(line).replaceAll("");
        return text.codePointCount(0, text.length()) > WIDTH;
    }
}
