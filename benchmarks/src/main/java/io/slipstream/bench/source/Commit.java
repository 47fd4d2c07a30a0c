// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.source;

/**
 * The commit of a checkout.
 *
 * @param hash in full; {@link #UNKNOWN} outside a repository
 * @param isChanged whether files other than documentation differ from it
 */
public record Commit(String hash, boolean isChanged) {
    static final String UNKNOWN = "unknown";

    public static Commit of(Git git) {
        String hash = git.find("rev-parse", "HEAD").orElse(UNKNOWN);
        String changes =
                git.find("status", "--porcelain", "--", ".", ":!docs", ":!*.md").orElse("");
        return new Commit(hash, !changes.isEmpty());
    }

    /** Returns whether others can check out what was measured. */
    public boolean isExact() {
        return !isChanged && !hash.equals(UNKNOWN);
    }

    @Override
    public String toString() {
        return isChanged ? hash + " with uncommitted changes" : hash;
    }
}
