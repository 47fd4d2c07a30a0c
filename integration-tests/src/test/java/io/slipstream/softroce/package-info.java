// SPDX-License-Identifier: Apache-2.0
/**
 * Tests that run inside the Soft-RoCE machine ({@code integration-tests/softroce}), and tests of the machine itself.
 */
package io.slipstream.softroce;
