/** Tests of the crash tests, and a short run of them. */
package io.slipstream.faults.crash;
