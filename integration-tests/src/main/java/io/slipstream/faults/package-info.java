/** Faults on real processes: {@code ./slipstream faults}. The plan of a run is {@link io.slipstream.faults.schedule}. */
package io.slipstream.faults;
