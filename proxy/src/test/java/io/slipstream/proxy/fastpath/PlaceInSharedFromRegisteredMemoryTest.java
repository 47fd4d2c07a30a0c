package io.slipstream.proxy.fastpath;

/** The same with a provider that takes registered memory only, as devices do. */
class PlaceInSharedFromRegisteredMemoryTest extends PlaceInSharedSegmentTest {
    @Override
    String provider() {
        return FastPathFixture.REGISTERED_MEMORY;
    }
}
