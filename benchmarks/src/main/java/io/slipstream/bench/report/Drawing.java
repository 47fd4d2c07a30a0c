// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.awt.Color;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/** Draws plots as PNG, without a display. */
final class Drawing {
    private static final int WIDTH = 800;
    private static final int HEIGHT = 480;
    private static final double THOUSAND = 1e3;
    private static final double MILLION = 1e6;

    static {
        System.setProperty("java.awt.headless", "true");
    }

    private Drawing() {}

    /** Returns the file name. */
    static String draw(Plot plot, Path directory) throws IOException {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(plot.title())
                .xAxisTitle(plot.x().title())
                .yAxisTitle(plot.y().title())
                .build();
        chart.getStyler().setXAxisLogarithmic(plot.x().logarithmic());
        chart.getStyler().setYAxisLogarithmic(plot.y().logarithmic());
        chart.getStyler().setXAxisLogarithmicDecadeOnly(false).setYAxisLogarithmicDecadeOnly(false);
        chart.getStyler()
                .setXAxisTickLabelsFormattingFunction(plot.x().logarithmic() ? Drawing::sparseLabel : Drawing::label);
        chart.getStyler()
                .setYAxisTickLabelsFormattingFunction(plot.y().logarithmic() ? Drawing::sparseLabel : Drawing::label);
        if (!plot.y().logarithmic()) {
            chart.getStyler().setYAxisMin(0.0);
        }
        chart.getStyler().setChartBackgroundColor(Color.WHITE).setLegendPosition(Styler.LegendPosition.OutsideE);
        for (Plot.Line line : plot.lines()) {
            chart.addSeries(line.label(), line.x(), line.y());
        }
        String name = plot.name() + ".png";
        if (!ImageIO.write(
                BitmapEncoder.getBufferedImage(chart),
                "png",
                directory.resolve(name).toFile())) {
            throw new IOException("this JVM cannot write PNG");
        }
        return name;
    }

    /** Labels only 1, 2 and 5 of each decade on a logarithmic axis. */
    static String sparseLabel(double value) {
        int digit = BigDecimal.valueOf(value)
                .round(new MathContext(1))
                .unscaledValue()
                .toString()
                .charAt(0);
        return digit == '1' || digit == '2' || digit == '5' ? label(value) : "";
    }

    /** Formats thousands as k and millions as M, without superfluous digits. */
    static String label(double value) {
        double size = Math.abs(value);
        double unit = size >= MILLION ? MILLION : size >= THOUSAND ? THOUSAND : 1;
        String number = BigDecimal.valueOf(value / unit)
                .round(new MathContext(3))
                .stripTrailingZeros()
                .toPlainString();
        return number + (unit == MILLION ? "M" : unit == THOUSAND ? "k" : "");
    }
}
