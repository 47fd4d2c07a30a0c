// SPDX-License-Identifier: Apache-2.0
/** Checks of {@code deploy} with the tools of its users: helm, Kubernetes' schemas, systemd. */
package io.slipstream.deploy;
