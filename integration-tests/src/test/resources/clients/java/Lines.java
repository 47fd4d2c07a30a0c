// SPDX-License-Identifier: Apache-2.0
// Sends each line of its standard input by the Java client of its class path: Lines.java BOOTSTRAP TOPIC.
// SASL_USERNAME and SASL_PASSWORD are its login by PLAIN.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

public final class Lines {
    public static void main(String[] arguments) throws Exception {
        String login = "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\";";
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", arguments[0],
                "security.protocol", "SASL_PLAINTEXT",
                "sasl.mechanism", "PLAIN",
                "sasl.jaas.config", login.formatted(System.getenv("SASL_USERNAME"), System.getenv("SASL_PASSWORD")));
        try (KafkaProducer<String, String> producer =
                        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
                BufferedReader lines = new BufferedReader(new InputStreamReader(System.in))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                producer.send(new ProducerRecord<>(arguments[1], line)).get();
            }
        }
    }
}
