// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import java.util.List;

/** Looks at one thing. Changes nothing; answers with findings, never with an exception for what it finds. */
@FunctionalInterface
interface Check {
    List<Finding> examine();
}
