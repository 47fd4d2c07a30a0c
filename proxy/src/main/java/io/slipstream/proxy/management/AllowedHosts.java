// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.management;

import io.netty.util.NetUtil;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The hosts that a request to the management port may name. A web page can have a name of its own resolved to the
 * address of this port, and so read its pages (DNS rebinding). Such a request names the page's host. Addresses are no
 * names, so they are always allowed.
 */
final class AllowedHosts {
    private final Set<String> names = new HashSet<>(Set.of("localhost"));

    AllowedHosts(String boundTo, List<String> configured) {
        names.add(boundTo.toLowerCase(Locale.ROOT));
        configured.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    }

    /** @param host value of the header, with or without a port */
    boolean allow(String host) {
        String name = host.replaceFirst(":[0-9]*$", "").toLowerCase(Locale.ROOT);
        return names.contains("*")
                || names.contains(name)
                || NetUtil.isValidIpV4Address(name)
                || NetUtil.isValidIpV6Address(host.replaceFirst("^\\[(.*)](:[0-9]*)?$", "$1"));
    }
}
