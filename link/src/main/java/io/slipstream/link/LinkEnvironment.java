// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.netty.buffer.ByteBufAllocator;
import io.slipstream.link.settings.LinkSettings;
import java.util.concurrent.Executor;

/**
 * What all links of a proxy share. Thread-safe.
 *
 * @param devices opens the provider's device on first use
 * @param setup runs what may block: allocating and deregistering memory
 */
public record LinkEnvironment(
        LinkSettings settings, Devices devices, LinkMeters meters, Executor setup, ByteBufAllocator allocator) {}
