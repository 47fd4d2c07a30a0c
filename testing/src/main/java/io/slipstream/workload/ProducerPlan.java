// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ProducerKind;

/**
 * One producer of a workload.
 *
 * @param acks -1 for all
 * @param transactionalId empty unless transactional
 * @param codec Kafka's codec name: {@code none}, {@code lz4} …
 */
public record ProducerPlan(ProducerKind kind, int acks, String transactionalId, String codec) {}
