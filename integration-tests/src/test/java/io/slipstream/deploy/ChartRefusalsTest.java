// SPDX-License-Identifier: Apache-2.0
package io.slipstream.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that the chart refuses, each with a message that names the value. */
@Timeout(1200)
class ChartRefusalsTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "providers: shm | additional properties 'providers' not allowed",
                "provider: rdma | at '/provider': value must be one of 'tcp', 'shm', 'verbs', 'auto'",
                "image: {repositry: x} | at '/image': additional properties 'repositry'",
                "image: {digest: latest} | at '/image/digest'",
                "proxy: {properties: {bootstrap.servers: kafka}} | at '/proxy/properties/bootstrap.servers'",
                "proxy: {properties: {bootstrap.servers: null}} | bootstrap.servers is missing",
                "proxy: {properties: {management.port: 99999}} | at '/proxy/properties/management.port'",
                "proxy: {properties: {ssl.keystore.password: x}} | ssl.keystore.password is a secret",
                "proxy: {properties: {ssl.keystore.key: x}} | ssl.keystore.key is a secret",
                "proxy: {properties: {listen.ssl.keystore.key: x}} | listen.ssl.keystore.key is a secret",
                "proxy: {properties: {rdma.control.secret: x}} | rdma.control.secret is a secret",
                "proxy: {properties: {rdma.provider: shm}} | rdma.provider is set by the chart; set provider",
                "proxy: {startsApplicationWhen: never} | at '/proxy/startsApplicationWhen'",
                "proxy: {runAsUser: 0} | at '/proxy/runAsUser'",
                "secrets: {files: {ssl.keystore.password: {name: a, key: b}}} | ssl.keystore.password does not take a file",
                "secrets: {values: {ssl.keystore.password: {name: a}}} | at '/secrets/values/ssl.keystore.password': missing property 'key'",
                "verbs: {resourceName: hca} | at '/verbs/resourceName'",
                "verbs: {resourceCount: 0} | at '/verbs/resourceCount'",
                "shm: {volume: {hostPath: null}} | at '/shm/volume'",
                "networkPolicy: {brokers: {peers: []}} | at '/networkPolicy/brokers/peers'",
                "networkPolicy: {monitoring: {peers: null}} | at '/networkPolicy/monitoring'",
                "podMonitor: {interval: 15} | at '/podMonitor/interval'",
                "application: {replicas: -1} | at '/application/replicas'",
                "terminationGracePeriodSeconds: 10 | terminationGracePeriodSeconds: 10 is not longer than the drain of 10 s",
            })
    void shouldRefuse(String values, String message) throws IOException {
        Path file = Files.writeString(directory.resolve("values.yaml"), values + "\n");

        assertThatThrownBy(() -> Chart.template(file)).hasMessageContaining(message);
    }

    /** Shows that the refusals have no other cause. */
    @Test
    void shouldAcceptValidValues() throws IOException {
        Path file = Files.writeString(directory.resolve("values.yaml"), "provider: shm\n");

        assertThat(Chart.template(file)).contains("kind: ConfigMap");
    }
}
