{{/* Name of all resources of the chart and of the pods with its sidecar. */}}
{{- define "slipstream.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "slipstream.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Labels that select the pods with this sidecar. Put them on every such pod. */}}
{{- define "slipstream.podLabels" -}}
slipstream.io/sidecar: {{ include "slipstream.fullname" . }}
{{- end -}}

{{/* Restarts pods when the configuration changes. */}}
{{- define "slipstream.podAnnotations" -}}
slipstream.io/configuration: {{ include "slipstream.properties" . | sha256sum | trunc 16 | quote }}
{{- end -}}
