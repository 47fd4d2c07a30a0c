// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

/**
 * The same with a provider that accepts only registered memory, as devices do: frames are staged in registered memory.
 */
class ProduceFromRegisteredMemoryTest extends ProduceByRdmaTest {
    @Override
    String provider() {
        return FastPathFixture.REGISTERED_MEMORY;
    }
}
