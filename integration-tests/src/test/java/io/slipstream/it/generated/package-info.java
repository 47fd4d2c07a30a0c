// SPDX-License-Identifier: Apache-2.0
/**
 * Requests of every API of clients, made from Kafka's own schemas by a seed: with fields that name existing things, and
 * with wrong ones.
 */
package io.slipstream.it.generated;
