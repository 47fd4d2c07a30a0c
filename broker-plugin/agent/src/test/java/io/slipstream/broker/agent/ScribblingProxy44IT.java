package io.slipstream.broker.agent;

class ScribblingProxy44IT extends ScribblingProxyContract {
    ScribblingProxy44IT() {
        super("4.4");
    }
}
