// SPDX-License-Identifier: Apache-2.0
/**
 * The topology of {@code deploy/compose} in containers of a Docker engine: parts of it fail, lose their network,
 * restart and are replaced under stock clients in four languages.
 */
package io.slipstream.containers;
