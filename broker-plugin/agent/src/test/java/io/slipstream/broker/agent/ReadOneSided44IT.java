// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

class ReadOneSided44IT extends ReadOneSidedContract {
    ReadOneSided44IT() {
        super("4.4");
    }
}
