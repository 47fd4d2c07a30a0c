// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

/** A decoded message with its correlation id, which pairs a response with its request. */
public record ControlEnvelope<T>(int correlationId, T message) {}
