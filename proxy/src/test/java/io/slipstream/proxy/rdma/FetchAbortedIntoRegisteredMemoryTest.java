// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

/** The same with records read into registered memory, as with a device. */
class FetchAbortedIntoRegisteredMemoryTest extends FetchAbortedTest {
    @Override
    String provider() {
        return FastPathFixture.REGISTERED_MEMORY;
    }
}
