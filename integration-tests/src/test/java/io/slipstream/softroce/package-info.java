/** Tests that run inside the Soft-RoCE machine ({@code integration-tests/softroce}), and the machine itself under test. */
package io.slipstream.softroce;
