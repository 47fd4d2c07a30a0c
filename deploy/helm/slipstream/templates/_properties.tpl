{{/* Helm reads numbers in values.yaml as floats and would print large ones as 6.7108864e+07. */}}
{{- define "slipstream.plain" -}}
{{- if kindIs "float64" . -}}{{ int64 . }}{{- else -}}{{ toString . }}{{- end -}}
{{- end -}}

{{/* Fails on contradictory settings, which a schema cannot express. */}}
{{- define "slipstream.check" -}}
{{- $properties := .Values.proxy.properties -}}
{{- $own := list "rdma.provider" -}}
{{- range $key, $value := $properties -}}
{{- if or (regexMatch "(^|\\.)password$" $key) (regexMatch "(^|\\.)ssl\\.keystore\\.key$" $key) (eq $key "rdma.control.secret") -}}
{{- fail (printf "proxy.properties: %s is a secret and would be readable in a ConfigMap; put it into a Secret and name that in secrets.values" $key) -}}
{{- end -}}
{{- if has $key $own -}}
{{- fail (printf "proxy.properties: %s is set by the chart; set provider instead" $key) -}}
{{- end -}}
{{- if hasKey $.Values.secrets.files $key -}}
{{- fail (printf "proxy.properties: %s is in secrets.files, too" $key) -}}
{{- end -}}
{{- end -}}
{{- if not (get $properties "bootstrap.servers") -}}
{{- fail "proxy.properties: bootstrap.servers is missing; name your brokers as host:port" -}}
{{- end -}}
{{- range $key, $value := .Values.secrets.files -}}
{{- if not (regexMatch "(\\.file|\\.location)$" $key) -}}
{{- fail (printf "secrets.files: %s does not take a file; use secrets.values" $key) -}}
{{- end -}}
{{- end -}}
{{- $drainSeconds := include "slipstream.drainSeconds" . | int -}}
{{- if not (kindIs "invalid" .Values.terminationGracePeriodSeconds) -}}
{{- if le (int .Values.terminationGracePeriodSeconds) $drainSeconds -}}
{{- fail (printf "terminationGracePeriodSeconds: %d is not longer than the drain of %d s (proxy.properties: drain.timeout.ms), which would be cut off" (int .Values.terminationGracePeriodSeconds) $drainSeconds) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "slipstream.property" -}}
{{- $key := index . 1 -}}
{{- include "slipstream.plain" (get (index . 0).Values.proxy.properties $key | default (index . 2)) -}}
{{- end -}}

{{- define "slipstream.managementPort" -}}{{ include "slipstream.property" (list . "management.port" 9091) }}{{- end -}}
{{- define "slipstream.listenPort" -}}{{ include "slipstream.property" (list . "listen.port" 9092) }}{{- end -}}
{{- define "slipstream.directory" -}}{{ include "slipstream.property" (list . "slipstream.directory" "/run/slipstream") }}{{- end -}}

{{/* Rounds up. */}}
{{- define "slipstream.drainSeconds" -}}
{{- div (add (include "slipstream.property" (list . "drain.timeout.ms" 10000) | int) 999) 1000 -}}
{{- end -}}

{{- define "slipstream.terminationGracePeriodSeconds" -}}
{{- include "slipstream.check" . -}}
{{- if kindIs "invalid" .Values.terminationGracePeriodSeconds -}}
{{- add .Values.application.stopSeconds (include "slipstream.drainSeconds" . | int) 5 -}}
{{- else -}}
{{- int .Values.terminationGracePeriodSeconds -}}
{{- end -}}
{{- end -}}

{{/* proxy.properties, with backslashes escaped as the format requires. */}}
{{- define "slipstream.properties" -}}
{{- include "slipstream.check" . -}}
rdma.provider={{ .Values.provider }}
{{- if not (hasKey .Values.proxy.properties "slipstream.directory") }}
slipstream.directory={{ include "slipstream.directory" . }}
{{- end }}
{{- range $key, $value := .Values.proxy.properties }}
{{ $key }}={{ include "slipstream.plain" $value | replace "\\" "\\\\" }}
{{- end }}
{{- range $key, $secret := .Values.secrets.files }}
{{ $key }}=/etc/slipstream/secrets/{{ $key }}
{{- end }}
{{- end -}}
