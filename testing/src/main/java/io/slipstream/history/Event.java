// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/**
 * One fact of a history. Events are records whose components are {@code long}, {@code int}, {@code boolean},
 * {@code String}, an enum, {@code int[]}, {@code long[]} or a {@link RecordRun}; {@link EventCodec} writes any such
 * record, so a new kind of event needs no code but its declaration here. No component is null.
 *
 * <p>Partitions, producers and consumers are small numbers that a {@link Declaration} has introduced before.
 */
public sealed interface Event permits Declaration, ClientEvent, BrokerEvent, RunEvent {}
