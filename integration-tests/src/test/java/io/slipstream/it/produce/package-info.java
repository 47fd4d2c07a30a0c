// SPDX-License-Identifier: Apache-2.0
/** What a broker does for producers beyond appending, through the proxy as without it. */
package io.slipstream.it.produce;
