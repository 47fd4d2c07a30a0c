// SPDX-License-Identifier: Apache-2.0
/** The listening ports: one for bootstrap and one per broker. Ports are bound and closed as brokers come and go. */
package io.slipstream.proxy.listener;
