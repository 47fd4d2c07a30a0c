// SPDX-License-Identifier: Apache-2.0
/**
 * Alert rules, runbooks and dashboards: they name existing meters, and a real Prometheus fires each alert when its
 * cause is present.
 */
package io.slipstream.it.alerts;
