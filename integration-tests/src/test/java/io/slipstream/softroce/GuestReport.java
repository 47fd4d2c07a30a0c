package io.slipstream.softroce;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * What a report of JUnit says.
 *
 * @param failed  failures and errors
 * @param skipped the names of the tests that were skipped
 */
record GuestReport(int tests, int failed, List<String> skipped) {
    static GuestReport read(Path xml) throws IOException {
        try {
            Element suite = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(xml.toFile())
                    .getDocumentElement();
            NodeList skips = suite.getElementsByTagName("skipped");
            List<String> skipped = IntStream.range(0, skips.getLength())
                    .mapToObj(i -> (Element) skips.item(i).getParentNode())
                    .map(test -> test.getAttribute("classname") + "." + test.getAttribute("name"))
                    .toList();
            return new GuestReport(
                    number(suite, "tests"), number(suite, "failures") + number(suite, "errors"), skipped);
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException("no report of JUnit: " + xml, e);
        }
    }

    int passed() {
        return tests - failed - skipped.size();
    }

    private static int number(Element suite, String attribute) {
        return Integer.parseInt(suite.getAttribute(attribute));
    }

    @Override
    public String toString() {
        return passed() + " passed, " + failed + " failed, " + skipped.size() + " skipped"
                + (skipped.isEmpty() ? "" : " (" + String.join(", ", skipped) + ")");
    }
}
