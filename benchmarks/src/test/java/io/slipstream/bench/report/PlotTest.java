// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.bench.report.Plot.Axis;
import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlotTest {
    private static final List<Result> SWEEP = List.of(
            sized(Side.DIRECT, 1_024, 80, 12_000),
            sized(Side.RDMA, 1_024, 40, 20_000),
            sized(Side.DIRECT, 100, 60, 15_000),
            sized(Side.RDMA, 100, 30, 30_000),
            Samples.of("W", Side.DIRECT, Metric.MEDIAN, Figure.of(1)),
            Samples.sized("W", Samples.ECHO, 100, Map.of(Metric.RATE, Figure.of(1))));

    @TempDir
    private Path directory;

    @Test
    void shouldHaveALineForEachSideInTheOrderOfTheParameter() {
        assertThat(latency(SWEEP).lines())
                .containsExactly(
                        new Plot.Line("direct", List.of(100.0, 1_024.0), List.of(60.0, 80.0)),
                        new Plot.Line("proxy, RDMA", List.of(100.0, 1_024.0), List.of(30.0, 40.0)));
    }

    @Test
    void shouldLeaveOutWhatALogarithmCannotShow() {
        List<Result> results = List.of(sized(Side.RDMA, 100, 0, 1), sized(Side.RDMA, 1_024, 5, 1));

        assertThat(latency(results).lines().get(0).x()).containsExactly(1_024.0);
        assertThat(latency(results).isWorthDrawing()).isFalse();
    }

    @Test
    void shouldDrawACurveAlongItsParameter() {
        Plot curve = Plot.curve(
                "load",
                "Load",
                Subject.RECORD_BYTES,
                Metric.RATE,
                Axis.linear("op/s"),
                Metric.MEDIAN,
                Axis.linear("us"),
                SWEEP);

        assertThat(curve.lines().get(0))
                .isEqualTo(new Plot.Line("direct", List.of(15_000.0, 12_000.0), List.of(60.0, 80.0)));
        assertThat(curve.lines()).hasSize(2);
    }

    @Test
    void shouldBeDrawnWithoutADisplay() throws Exception {
        BufferedImage image = ImageIO.read(
                directory.resolve(Drawing.draw(latency(SWEEP), directory)).toFile());

        assertThat(image.getWidth()).isEqualTo(800);
        assertThat(image.getRGB(0, 0) & 0xffffff).isEqualTo(0xffffff);
        assertThat(IntStream.range(0, image.getWidth() * image.getHeight())
                        .map(i -> image.getRGB(i % image.getWidth(), i / image.getWidth()))
                        .filter(PlotTest::isColourful)
                        .count())
                .isGreaterThan(100);
    }

    @Test
    void shouldLabelTicksAsFarAsThereIsRoom() {
        assertThat(Drawing.label(0.05)).isEqualTo("0.05");
        assertThat(Drawing.label(200)).isEqualTo("200");
        assertThat(Drawing.label(1_500)).isEqualTo("1.5k");
        assertThat(Drawing.label(1_000_000)).isEqualTo("1M");
        assertThat(Drawing.sparseLabel(5_000)).isEqualTo("5k");
        assertThat(Drawing.sparseLabel(7_000)).isEmpty();
        assertThat(Drawing.sparseLabel(0.03)).isEmpty();
    }

    /** Lines have colours; text, axes and grid are grey. */
    private static boolean isColourful(int rgb) {
        int red = rgb >> 16 & 0xff;
        int green = rgb >> 8 & 0xff;
        int blue = rgb & 0xff;
        return Math.max(red, Math.max(green, blue)) - Math.min(red, Math.min(green, blue)) > 100;
    }

    private static Plot latency(List<Result> results) {
        return Plot.over(
                "latency",
                "Latency",
                Subject.RECORD_BYTES,
                Axis.logarithmic("bytes"),
                Metric.MEDIAN,
                Axis.logarithmic("us"),
                results);
    }

    private static Result sized(Side side, long bytes, double medianUs, double rate) {
        return Samples.sized(
                "W", side, bytes, Map.of(Metric.MEDIAN, Figure.of(medianUs), Metric.RATE, Figure.of(rate)));
    }
}
