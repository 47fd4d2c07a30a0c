// SPDX-License-Identifier: Apache-2.0
/**
 * The keys of the configuration, their documentation and their checked values. Everything is validated before the
 * proxy starts; a wrong value is reported with the name of its key. Immutable after that.
 */
package io.slipstream.proxy.config;
