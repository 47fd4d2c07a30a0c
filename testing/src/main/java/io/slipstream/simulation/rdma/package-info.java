// SPDX-License-Identifier: Apache-2.0
/**
 * Provider {@code sim}: the API of rdma-transport in virtual time. Bytes travel in pieces of 8 bytes or more, each at
 * its own time and in any order within a message. The scenario breaks connections.
 */
package io.slipstream.simulation.rdma;
