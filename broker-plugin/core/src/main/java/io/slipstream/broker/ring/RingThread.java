package io.slipstream.broker.ring;

/** Polls the rings of the links that it owns; run by one request handler thread. */
public final class RingThread {}
