// SPDX-License-Identifier: Apache-2.0
/**
 * The judgement of one run beside that of its control: what excuses an anomaly, which errors a broken connection
 * explains, and what clients got during faults. Pure functions over histories and logs.
 */
package io.slipstream.faults.judge;
