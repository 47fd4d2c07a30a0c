/**
 * {@code slipstream quickstart}: a stock broker with the agent, a proxy, and a demonstration with stock clients. The
 * demonstration counts what arrives, and what went by RDMA. With {@code --secure} both serve TLS and SASL only, and the
 * authorizer is tried.
 */
package io.slipstream.quickstart;
