// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import java.util.List;

/** Inspects one prerequisite without changing it. Reports problems as findings, never as exceptions. */
@FunctionalInterface
interface Check {
    List<Finding> examine();
}
