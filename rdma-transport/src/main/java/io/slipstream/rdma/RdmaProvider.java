// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.io.IOException;
import java.util.Optional;
import java.util.ServiceLoader;

/** An implementation of the verbs, found by {@link ServiceLoader}. */
public interface RdmaProvider {
    /** {@code shm}, {@code verbs} or {@code sim}. */
    String name();

    /** Empty if the provider can be used on this machine, else the reason, for the operator. */
    Optional<String> unavailableReason();

    /** Opens a device. Throws an IOException that names the requested device and the available ones. */
    RdmaDevice open(DeviceConfig config) throws IOException;

    /** The provider of that name on the class path of this class. */
    static Optional<RdmaProvider> named(String name) {
        return ServiceLoader.load(RdmaProvider.class, RdmaProvider.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals(name))
                .findFirst();
    }
}
