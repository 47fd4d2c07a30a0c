// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.netty.buffer.ByteBufAllocator;
import io.slipstream.link.settings.LinkSettings;
import java.util.concurrent.Executor;

/**
 * Objects that all links of a proxy share. Thread-safe.
 *
 * @param devices opens the provider's device on first use
 * @param setup executor for blocking work: allocation and deregistration of memory
 */
public record LinkEnvironment(
        LinkSettings settings, Devices devices, LinkMeters meters, Executor setup, ByteBufAllocator allocator) {}
