/** What proxy and plugin print of their own configuration. */
package io.slipstream.protocol.config;
