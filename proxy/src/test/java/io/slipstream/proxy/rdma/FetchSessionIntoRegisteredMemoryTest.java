// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import org.junit.jupiter.api.Tag;

/**
 * The same with a provider that accepts only registered memory, as devices do: records are read into registered memory.
 */
@Tag("thorough")
class FetchSessionIntoRegisteredMemoryTest extends FetchSessionByRdmaTest {
    @Override
    String provider() {
        return FastPathFixture.REGISTERED_MEMORY;
    }
}
