package io.slipstream.proxy.fastpath;

/** The same with a provider that takes registered memory only, as devices do: batches are sent from the mirror of the ring. */
class PlaceFromRegisteredMemoryTest extends PlaceInSegmentTest {
    @Override
    String provider() {
        return FastPathFixture.REGISTERED_MEMORY;
    }
}
