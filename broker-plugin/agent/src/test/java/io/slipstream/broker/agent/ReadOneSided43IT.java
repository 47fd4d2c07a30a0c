// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

class ReadOneSided43IT extends ReadOneSidedContract {
    ReadOneSided43IT() {
        super("4.3");
    }
}
