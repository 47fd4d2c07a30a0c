// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

/** The same where records are read into registered memory, as over a device. */
class FetchAbortedIntoRegisteredMemoryTest extends FetchAbortedTest {
    @Override
    String provider() {
        return FastPathFixture.REGISTERED_MEMORY;
    }
}
