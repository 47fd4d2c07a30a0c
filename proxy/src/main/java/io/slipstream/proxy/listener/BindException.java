// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.listener;

/** A port could not be opened; the message names the port and its configuration key. */
public final class BindException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public BindException(String message, String key) {
        super(message + "; change '" + key + "'");
    }

    /** @param key the configuration key of the port */
    public static BindException inUse(String address, Throwable cause, String key) {
        return new BindException("cannot listen on " + address + ", is it in use? (" + cause.getMessage() + ")", key);
    }
}
