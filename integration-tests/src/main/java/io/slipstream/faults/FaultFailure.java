package io.slipstream.faults;

/** A fault could not be made, or not be healed; says why. */
final class FaultFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FaultFailure(String message) {
        super(message);
    }

    FaultFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
