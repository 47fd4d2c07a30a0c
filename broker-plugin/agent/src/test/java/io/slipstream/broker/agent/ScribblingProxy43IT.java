package io.slipstream.broker.agent;

class ScribblingProxy43IT extends ScribblingProxyContract {
    ScribblingProxy43IT() {
        super("4.3");
    }
}
