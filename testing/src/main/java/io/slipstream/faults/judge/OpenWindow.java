// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.history.RunEvent.FaultBegun;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** A fault that lasts, or from which clients recover. */
final class OpenWindow {
    private static final long LASTS = Long.MAX_VALUE;

    private final FaultBegun begun;
    private long endNs = LASTS;
    private final Map<String, Cell> cells = new HashMap<>();

    private static final class Cell {
        final ClientKind kind;
        long lastNs;
        long operations;
        long silenceNs;
        long recoveryNs = -1;
        long waitNs;

        Cell(ClientKind kind, long lastNs) {
            this.kind = kind;
            this.lastNs = lastNs;
        }
    }

    OpenWindow(FaultBegun begun) {
        this.begun = begun;
    }

    int fault() {
        return begun.fault();
    }

    boolean isHealed() {
        return endNs != LASTS;
    }

    long beganNs() {
        return begun.atNs();
    }

    long endNs() {
        return endNs;
    }

    /** Adds a client that worked before the fault. */
    void add(String client, ClientKind kind) {
        cells.put(client, new Cell(kind, begun.atNs()));
    }

    /** The client was stopped on purpose. */
    void remove(String client) {
        cells.remove(client);
    }

    void succeed(String client, long atNs, long operations) {
        Cell cell = cells.get(client);
        if (cell == null) {
            return;
        }
        if (atNs > endNs) {
            cell.recoveryNs = cell.recoveryNs < 0 ? atNs - endNs : cell.recoveryNs;
            return;
        }
        cell.operations += operations;
        cell.silenceNs = Math.max(cell.silenceNs, atNs - cell.lastNs);
        cell.lastNs = Math.max(cell.lastNs, atNs);
    }

    void wait(String client, long fromNs, long toNs) {
        Cell cell = cells.get(client);
        if (cell != null && toNs > begun.atNs()) {
            cell.waitNs = Math.max(cell.waitNs, toNs - fromNs);
        }
    }

    void heal(long atNs) {
        endNs = atNs;
        cells.values().forEach(cell -> cell.silenceNs = Math.max(cell.silenceNs, atNs - cell.lastNs));
    }

    /** Ends the recovery: another fault begins while none lasts, or the load ends. */
    Service.Window close(long atNs) {
        Map<String, Service.ClientService> clients = new TreeMap<>();
        cells.forEach((client, cell) -> clients.put(
                client,
                new Service.ClientService(
                        cell.kind,
                        cell.operations,
                        cell.silenceNs,
                        cell.recoveryNs < 0 ? Math.max(0, atNs - endNs) : cell.recoveryNs,
                        cell.recoveryNs >= 0,
                        cell.waitNs)));
        return new Service.Window(begun.fault(), begun.faultClass(), begun.target(), endNs - begun.atNs(), clients);
    }
}
