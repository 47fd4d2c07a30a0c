// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/**
 * The address of a listener: {@code 10.0.0.1:4000}, {@code [fd00::1]:4000}, {@code [fe80::1%eth0]:4000}. Only literal
 * addresses are accepted, so that no name lookup can block. An empty host ({@code :4000}) stands for the device's own
 * address. The ports are those of the connection manager, not of TCP.
 *
 * @param ip 4 or 16 bytes; empty for the device's own address
 * @param scopeId interface index of a link-local address, else 0
 */
record SocketAddress(byte[] ip, int scopeId, int port) {
    static SocketAddress parse(String address) throws IOException {
        int colon = address.lastIndexOf(':');
        String host = colon < 0 ? address : address.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (colon < 0 || (host.contains(":") && !bracketed)) {
            throw malformed(address);
        }
        int port = port(address, address.substring(colon + 1));
        if (host.isEmpty()) {
            return new SocketAddress(new byte[0], 0, port);
        }
        String literal = bracketed ? host.substring(1, host.length() - 1) : host;
        int percent = literal.indexOf('%');
        String scope = percent < 0 ? null : literal.substring(percent + 1);
        byte[] ip = NetUtil.createByteArrayFromIpAddressString(percent < 0 ? literal : literal.substring(0, percent));
        if (ip == null || (ip.length == 16) != bracketed || (scope != null && ip.length == 4)) {
            throw malformed(address);
        }
        return new SocketAddress(ip, scope == null ? 0 : scopeId(scope), port);
    }

    private static int port(String address, String text) throws IOException {
        try {
            int port = Integer.parseInt(text);
            if (port >= 0 && port <= 0xFFFF) {
                return port;
            }
        } catch (NumberFormatException e) {
            // Malformed, like a number out of range.
        }
        throw malformed(address);
    }

    private static int scopeId(String scope) throws IOException {
        try {
            NetworkInterface named = NetworkInterface.getByName(scope);
            return named != null ? named.getIndex() : Integer.parseInt(scope);
        } catch (SocketException | NumberFormatException e) {
            throw new IOException("no network interface " + scope, e);
        }
    }

    private static IOException malformed(String address) {
        return new IOException("not an address of the verbs provider: '" + address
                + "', expected IPv4:port, [IPv6]:port or :port with a literal IP address");
    }

    boolean hasHost() {
        return ip.length > 0;
    }

    SocketAddress withPort(int actualPort) {
        return new SocketAddress(ip, scopeId, actualPort);
    }

    @Override
    public String toString() {
        try {
            InetAddress host =
                    scopeId == 0 ? InetAddress.getByAddress(ip) : Inet6Address.getByAddress(null, ip, scopeId);
            return ip.length == 4 ? host.getHostAddress() + ":" + port : "[" + host.getHostAddress() + "]:" + port;
        } catch (java.net.UnknownHostException e) {
            return ":" + port;
        }
    }
}
