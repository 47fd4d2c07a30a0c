// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

class ScribblingProxy44IT extends ScribblingProxyContract {
    ScribblingProxy44IT() {
        super("4.4");
    }
}
