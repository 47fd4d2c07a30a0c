This jar contains Slipstream (classes and native libraries of io.slipstream, licensed under Apache-2.0) and the
artefacts below. Licences are named by their SPDX identifiers.
META-INF/licenses/<identifier>.txt is the text of a licence.
META-INF/licenses/<artefact>-jar/ has the files that an artefact brings itself.
A choice of licences is written with OR.

<#list dependencyMap as entry>
<#assign project = entry.getKey()/>
<#assign licenses = entry.getValue()/>
${project.groupId}:${project.artifactId}:${project.version}: <#list licenses as license>${license}<#if license_has_next> OR </#if></#list>
</#list>

Inside some of these artefacts, under BSD-3-Clause or BSD-2-Clause, are: Protocol Buffers (kafka-clients,
prometheus-metrics-exposition-formats), ASM (byte-buddy), Zstandard (zstd-jni), LZ4 (lz4-java) and Snappy (snappy-java).
Under Apache-2.0: JCTools (netty-common, byte-buddy). Under MIT: FastDoubleParser (jackson-core).
