// SPDX-License-Identifier: Apache-2.0
/** What is under {@code deploy}, checked by the tools of those who use it: helm, Kubernetes' schemas, systemd. */
package io.slipstream.deploy;
