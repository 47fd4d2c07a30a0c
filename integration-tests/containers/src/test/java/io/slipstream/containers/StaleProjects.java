// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import com.github.dockerjava.api.DockerClient;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Removes leftovers of killed test JVMs: containers, networks and volumes of their Compose projects. */
final class StaleProjects {
    private static final Pattern NAME = Pattern.compile(ComposeProject.PREFIX + "(\\d+)x.*");

    private StaleProjects() {}

    static void remove(DockerClient client) {
        for (var container : client.listContainersCmd().withShowAll(true).exec()) {
            if (isStale(container.getLabels())) {
                client.removeContainerCmd(container.getId())
                        .withForce(true)
                        .withRemoveVolumes(true)
                        .exec();
            }
        }
        for (var network : client.listNetworksCmd().exec()) {
            if (isStale(network.getLabels())) {
                client.removeNetworkCmd(network.getId()).exec();
            }
        }
        for (var volume : client.listVolumesCmd().exec().getVolumes()) {
            if (isStale(volume.getLabels())) {
                client.removeVolumeCmd(volume.getName()).exec();
            }
        }
    }

    private static boolean isStale(Map<String, String> labels) {
        String project = labels == null ? null : labels.get(ComposeProject.PROJECT_LABEL);
        Matcher matcher = NAME.matcher(project == null ? "" : project);
        return matcher.matches()
                && ProcessHandle.of(Long.parseLong(matcher.group(1))).isEmpty();
    }
}
