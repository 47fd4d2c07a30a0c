// SPDX-License-Identifier: Apache-2.0
/** Tests that run inside the Soft-RoCE machine ({@code integration-tests/softroce}), and the machine itself under test. */
package io.slipstream.softroce;
