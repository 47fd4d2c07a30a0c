// SPDX-License-Identifier: Apache-2.0
/**
 * Provider {@code sim}: the API of rdma-transport in virtual time. Bytes travel in pieces of 8 bytes or more, each at an instant of its own and in any
 * order within a message; connections break when the scenario says so.
 */
package io.slipstream.simulation.rdma;
