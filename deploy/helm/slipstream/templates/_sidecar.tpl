{{- define "slipstream.usesVerbs" -}}{{ if has .Values.provider (list "verbs" "auto") }}true{{ end }}{{- end -}}
{{- define "slipstream.usesShm" -}}{{ if has .Values.provider (list "shm" "auto") }}true{{ end }}{{- end -}}

{{- define "slipstream.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{/*
The sidecar: the first of a pod's initContainers. Kubernetes starts later containers after its startup probe succeeds, restarts it while
the pod lives, and stops it after the application's containers.
*/}}
{{- define "slipstream.initContainers" -}}
- name: slipstream-proxy
  image: {{ include "slipstream.image" . | quote }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  restartPolicy: Always
  args: [--config, /etc/slipstream/proxy.properties]
  env:
    - name: JAVA_TOOL_OPTIONS
      value: {{ .Values.proxy.javaOptions | quote }}
    # Clears a variable of the image, which would override the file.
    - name: SLIPSTREAM_DIRECTORY
      value: {{ include "slipstream.directory" . }}
    {{- range $key, $secret := .Values.secrets.values }}
    - name: SLIPSTREAM_{{ $key | upper | replace "." "_" }}
      valueFrom:
        secretKeyRef:
          name: {{ $secret.name }}
          key: {{ $secret.key }}
    {{- end }}
  ports:
    - name: slipstream-mgmt
      containerPort: {{ include "slipstream.managementPort" . }}
  startupProbe:
    httpGet:
      path: {{ eq .Values.proxy.startsApplicationWhen "ready" | ternary "/readyz" "/livez" }}
      port: slipstream-mgmt
    {{- toYaml .Values.proxy.probes.startup | nindent 4 }}
  readinessProbe:
    httpGet:
      path: /readyz
      port: slipstream-mgmt
    {{- toYaml .Values.proxy.probes.readiness | nindent 4 }}
  livenessProbe:
    httpGet:
      path: /livez
      port: slipstream-mgmt
    {{- toYaml .Values.proxy.probes.liveness | nindent 4 }}
  resources:
    {{- $resources := deepCopy .Values.proxy.resources }}
    {{- if include "slipstream.usesVerbs" . }}
    {{- $devices := dict .Values.verbs.resourceName (int .Values.verbs.resourceCount) }}
    {{- $resources = merge $resources (dict "limits" $devices "requests" $devices) }}
    {{- end }}
    {{- toYaml $resources | nindent 4 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: {{ int64 .Values.proxy.runAsUser }}
    runAsGroup: {{ int64 .Values.proxy.runAsGroup }}
    readOnlyRootFilesystem: true
    allowPrivilegeEscalation: false
    capabilities:
      drop: [ALL]
      {{- if include "slipstream.usesVerbs" . }}
      add: [IPC_LOCK]
      {{- end }}
    seccompProfile:
      type: RuntimeDefault
  volumeMounts:
    - name: slipstream-config
      mountPath: /etc/slipstream/proxy.properties
      subPath: proxy.properties
      readOnly: true
    {{- if .Values.secrets.files }}
    - name: slipstream-secrets
      mountPath: /etc/slipstream/secrets
      readOnly: true
    {{- end }}
    - name: slipstream-tmp
      mountPath: /tmp
    {{- if include "slipstream.usesShm" . }}
    - name: slipstream-directory
      mountPath: {{ include "slipstream.directory" . }}
      # Connecting to a socket needs no write permission on its directory.
      readOnly: true
    {{- end }}
{{- end -}}

{{/* Volume mounts of the sidecar. */}}
{{- define "slipstream.volumes" -}}
- name: slipstream-config
  configMap:
    name: {{ include "slipstream.fullname" . }}
{{- if .Values.secrets.files }}
- name: slipstream-secrets
  projected:
    # Only the sidecar mounts this volume; its user does not own it.
    defaultMode: 0444
    sources:
      {{- range $key, $secret := .Values.secrets.files }}
      - secret:
          name: {{ $secret.name }}
          items:
            - key: {{ $secret.key }}
              path: {{ $key }}
      {{- end }}
{{- end }}
# Native libraries are unpacked here.
- name: slipstream-tmp
  emptyDir:
    sizeLimit: 64Mi
{{- if include "slipstream.usesShm" . }}
- name: slipstream-directory
  {{- toYaml .Values.shm.volume | nindent 2 }}
{{- end }}
{{- end -}}
