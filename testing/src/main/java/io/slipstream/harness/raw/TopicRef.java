// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.raw;

import org.apache.kafka.common.Uuid;

/** A topic by name and id: newer request versions use the id, older ones the name. */
public record TopicRef(String name, Uuid id) {}
