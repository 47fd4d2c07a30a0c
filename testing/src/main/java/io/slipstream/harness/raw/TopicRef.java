// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.raw;

import org.apache.kafka.common.Uuid;

/** A topic by both its names: requests of newer versions take the id, older ones the name. */
public record TopicRef(String name, Uuid id) {}
