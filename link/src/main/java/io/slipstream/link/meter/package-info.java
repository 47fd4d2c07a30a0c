// SPDX-License-Identifier: Apache-2.0
/** The catalogue of the proxy's meters, and the enums that are labels of several packages. */
package io.slipstream.link.meter;
