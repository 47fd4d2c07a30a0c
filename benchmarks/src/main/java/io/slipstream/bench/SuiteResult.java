// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Plot;
import io.slipstream.bench.report.Result;
import java.util.List;

/**
 * @param problems reasons why figures are invalid, such as requests that did not go by RDMA; any of them fails the run
 */
public record SuiteResult(List<Result> results, List<Plot> plots, List<String> problems) {}
