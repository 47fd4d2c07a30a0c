// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

class ProduceOverRing43IT extends ProduceOverRingContract {
    ProduceOverRing43IT() {
        super("4.3");
    }
}
