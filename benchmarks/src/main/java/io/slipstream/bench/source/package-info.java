// SPDX-License-Identifier: Apache-2.0
/** The measured code: the commit of the checkout, and builds of other commits. */
package io.slipstream.bench.source;
