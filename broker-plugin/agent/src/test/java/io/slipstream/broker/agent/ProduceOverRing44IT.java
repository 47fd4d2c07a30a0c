// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

class ProduceOverRing44IT extends ProduceOverRingContract {
    ProduceOverRing44IT() {
        super("4.4");
    }
}
