// SPDX-License-Identifier: Apache-2.0
/** Alert rules, their runbooks and dashboards: that they name what there is, and that a real Prometheus fires each alert when its cause is there. */
package io.slipstream.it.alerts;
