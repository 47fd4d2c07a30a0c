// SPDX-License-Identifier: Apache-2.0
package io.slipstream.softroce;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * A JUnit report.
 *
 * @param failed failed tests, each with its failure as JUnit prints it
 * @param skipped names of skipped tests
 */
record GuestReport(int tests, List<String> failed, List<String> skipped) {
    private static final int LINES_OF_FAILURE = 12;

    static GuestReport read(Path xml) throws IOException {
        try {
            Element suite = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(xml.toFile())
                    .getDocumentElement();
            List<String> failed = Stream.concat(children(suite, "failure"), children(suite, "error"))
                    .map(failure -> name(failure) + ": " + firstLines(failure.getTextContent()))
                    .toList();
            List<String> skipped =
                    children(suite, "skipped").map(GuestReport::name).toList();
            return new GuestReport(Integer.parseInt(suite.getAttribute("tests")), failed, skipped);
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException("no report of JUnit: " + xml, e);
        }
    }

    int passed() {
        return tests - failed.size() - skipped.size();
    }

    private static Stream<Element> children(Element suite, String tag) {
        NodeList elements = suite.getElementsByTagName(tag);
        return IntStream.range(0, elements.getLength()).mapToObj(i -> (Element) elements.item(i));
    }

    private static String name(Element outcome) {
        Element test = (Element) outcome.getParentNode();
        return test.getAttribute("classname") + "." + test.getAttribute("name");
    }

    private static String firstLines(String text) {
        return text.strip().lines().limit(LINES_OF_FAILURE).collect(Collectors.joining("\n    "));
    }

    @Override
    public String toString() {
        return passed() + " passed, " + failed.size() + " failed, " + skipped.size() + " skipped"
                + (skipped.isEmpty() ? "" : " (" + String.join(", ", skipped) + ")");
    }
}
