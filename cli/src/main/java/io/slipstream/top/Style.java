// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

/** Text style in a terminal. */
enum Style {
    PLAIN(""),
    BOLD("1"),
    DIM("2"),
    HEAD("7"),
    GOOD("32"),
    MIXED("33"),
    BAD("31");

    private static final String ESCAPE = "\u001b[";

    private final String code;

    Style(String code) {
        this.code = code;
    }

    String wrap(String text) {
        return code.isEmpty() || text.isEmpty() ? text : ESCAPE + code + "m" + text + ESCAPE + "0m";
    }

    /** Returns the style of an RDMA share. */
    static Style ofShare(double share) {
        if (share < 0) {
            return DIM;
        }
        return share >= 0.99 ? GOOD : share > 0 ? MIXED : BAD;
    }
}
