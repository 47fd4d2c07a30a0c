// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Plot;
import io.slipstream.bench.report.Result;
import java.util.List;

/** @param problems why the figures are not what they say, such as requests that did not go by RDMA; any makes the run fail */
public record SuiteResult(List<Result> results, List<Plot> plots, List<String> problems) {}
