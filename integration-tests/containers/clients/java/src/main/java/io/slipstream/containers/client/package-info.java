// SPDX-License-Identifier: Apache-2.0
/** The workload client with Kafka's own library; {@code ../README.md} describes what it does and writes, the same as those in other languages. */
package io.slipstream.containers.client;
