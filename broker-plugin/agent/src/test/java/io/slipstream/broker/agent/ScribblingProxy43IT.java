// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

class ScribblingProxy43IT extends ScribblingProxyContract {
    ScribblingProxy43IT() {
        super("4.3");
    }
}
