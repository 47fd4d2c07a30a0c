// SPDX-License-Identifier: Apache-2.0
/** The topology of {@code deploy/compose} in containers of a Docker engine, and what happens to it and to stock clients of four languages when parts of it fail, are cut off, restarted and replaced. */
package io.slipstream.containers;
