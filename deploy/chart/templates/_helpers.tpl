{{- define "aos.name" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Takes (list $ "service"). */}}
{{- define "aos.labels" -}}
{{- $root := index . 0 -}}
{{ include "aos.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end -}}

{{- define "aos.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* What every object that belongs to no single service bears. */}}
{{- define "aos.commonLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* A service's values over the defaults, as YAML: takes (list $ "service"). */}}
{{- define "aos.service" -}}
{{- $root := index . 0 -}}
{{- toYaml (mergeOverwrite (deepCopy $root.Values.defaults) (deepCopy (index $root.Values.services (index . 1)))) -}}
{{- end -}}

{{- define "aos.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ default $.Chart.AppVersion .tag }}{{ end -}}
{{- end -}}
{{- end -}}

{{- define "aos.secretName" -}}
{{- if eq .Values.secrets.source "existing" }}{{ .Values.secrets.existingName }}{{ else }}{{ include "aos.name" . }}{{ end -}}
{{- end -}}

{{- define "aos.accountName" -}}
{{- if .Values.serviceAccount.name }}{{ .Values.serviceAccount.name }}{{ else if .Values.serviceAccount.create }}{{ include "aos.name" . }}{{ else }}default{{ end -}}
{{- end -}}

{{/* Which keys of the Secret a service gets, comma separated: each only what it reads. Takes (list $ "service"). */}}
{{- define "aos.secretKeys" -}}
{{- $root := index . 0 -}}
{{- $service := index . 1 -}}
{{- $only := dict
  "SVC_BOOTSTRAP_OWNER_KEY" (list "access-service")
  "SVC_SEAL_KEYS" (without (keys $root.Values.services) "gateway")
  "SVC_KAFKA_PASSWORD" (list "stream-service")
  "ANTHROPIC_API_KEY" (list "session-service" "blueprint-service")
  "OPENAI_API_KEY" (list "session-service" "blueprint-service") -}}
{{- $given := list -}}
{{- range $root.Values.secrets.keys -}}
{{- if or (not (hasKey $only .)) (has $service (default list (get $only .))) }}{{ $given = append $given . }}{{ end -}}
{{- end -}}
{{- join "," $given -}}
{{- end -}}

{{/* Every key that the Secret holds, comma separated. */}}
{{- define "aos.allKeys" -}}
{{- $all := concat .Values.secrets.keys .Values.secrets.providerKeys -}}
{{- if .Values.secrets.identitySeeds }}{{ range $service, $_ := .Values.services }}{{ $all = append $all (printf "SVC_IDENTITY_SEED.%s" $service) }}{{ end }}{{ end -}}
{{- join "," $all -}}
{{- end -}}

{{/* The origin under which callers reach the gateway: as it is set, else that of the ingress or of the first host name that is no pattern; empty where nothing leads there. */}}
{{- define "aos.publicUrl" -}}
{{- if .Values.settings.SVC_PUBLIC_URL }}{{ .Values.settings.SVC_PUBLIC_URL -}}
{{- else if and .Values.ingress.enabled (not (hasPrefix "*" .Values.ingress.host)) }}{{ ternary "https" "http" (not (empty .Values.ingress.tlsSecretName)) }}://{{ .Values.ingress.host -}}
{{- else if .Values.gatewayApi.enabled -}}
{{- $names := list }}{{ range .Values.gatewayApi.hostnames }}{{ if and . (not (hasPrefix "*" .)) }}{{ $names = append $names . }}{{ end }}{{ end -}}
{{- with $names }}https://{{ first . }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* Combinations that the schema cannot say. */}}
{{- define "aos.check" -}}
{{- $v := .Values -}}
{{- if lt (int $v.shutdown.terminationGracePeriodSeconds) (add (int $v.shutdown.preStopSeconds) 35 | int) }}{{ fail "shutdown.terminationGracePeriodSeconds must be at least preStopSeconds + 35" }}{{ end -}}
{{- if eq (int $v.ports.http) (int $v.ports.metrics) }}{{ fail "ports.http and ports.metrics must differ" }}{{ end -}}
{{- if and (eq $v.secrets.source "existing") (not $v.secrets.existingName) }}{{ fail "secrets.existingName names the Secret (or choose another secrets.source)" }}{{ end -}}
{{- if and (eq $v.secrets.source "external") (or (not $v.secrets.external.storeName) (not $v.secrets.external.remoteKey)) }}{{ fail "secrets.external needs storeName and remoteKey" }}{{ end -}}
{{- $separate := and $v.secrets.identitySeeds $v.settings.SVC_IDENTITY_KEYS (has "SVC_SEAL_KEYS" $v.secrets.keys) (has "SVC_CURSOR_KEYS" $v.secrets.keys) -}}
{{- if not (or $separate (has "SVC_MASTER_KEYS" $v.secrets.keys)) }}{{ fail "secrets.keys must hold SVC_MASTER_KEYS, or SVC_SEAL_KEYS and SVC_CURSOR_KEYS with secrets.identitySeeds and settings.SVC_IDENTITY_KEYS" }}{{ end -}}
{{- if ne (not $v.secrets.identitySeeds) (not $v.settings.SVC_IDENTITY_KEYS) }}{{ fail "secrets.identitySeeds and settings.SVC_IDENTITY_KEYS go together" }}{{ end -}}
{{- range list "SVC_EVENTSTOREDB_URL" "SVC_REDIS_URL" }}{{ if not (has . $v.secrets.keys) }}{{ fail (printf "secrets.keys must hold %s" .) }}{{ end }}{{ end -}}
{{- if eq $v.secrets.source "values" }}{{ range include "aos.allKeys" $ | splitList "," }}{{ if not (get $v.secrets.values .) }}{{ fail (printf "secrets.values has no %s" .) }}{{ end }}{{ end }}{{ end -}}
{{- if and (not $v.blobs.existingClaim) (not $v.settings.SVC_S3_ENDPOINT) }}{{ fail "blobs need settings.SVC_S3_ENDPOINT or blobs.existingClaim" }}{{ end -}}
{{- if and $v.settings.SVC_S3_ENDPOINT (not (and $v.settings.SVC_S3_BUCKET (has "SVC_S3_ACCESS_KEY" $v.secrets.keys) (has "SVC_S3_SECRET_KEY" $v.secrets.keys))) }}{{ fail "SVC_S3_ENDPOINT needs settings.SVC_S3_BUCKET and the secret keys SVC_S3_ACCESS_KEY and SVC_S3_SECRET_KEY" }}{{ end -}}
{{- if ne (not $v.settings.SVC_KAFKA_USERNAME) (not (has "SVC_KAFKA_PASSWORD" $v.secrets.keys)) }}{{ fail "settings.SVC_KAFKA_USERNAME and the secret key SVC_KAFKA_PASSWORD go together" }}{{ end -}}
{{- if ne (not $v.settings.SVC_KAFKA_USERNAME) (not $v.settings.SVC_KAFKA_SASL_MECHANISM) }}{{ fail "settings.SVC_KAFKA_USERNAME and settings.SVC_KAFKA_SASL_MECHANISM go together" }}{{ end -}}
{{- if and $v.ingress.enabled (not $v.ingress.host) }}{{ fail "ingress.host is needed" }}{{ end -}}
{{- if le (int $v.ingress.readTimeoutSeconds) (mul 2 (int (default 15 $v.settings.SVC_STREAM_HEARTBEAT_SECONDS)) | int) }}{{ fail "ingress.readTimeoutSeconds must be more than two heartbeats" }}{{ end -}}
{{- $unit := get (dict "k" 1024 "m" 1048576 "g" 1073741824) (regexFind "[kmg]" $v.ingress.bodySize) -}}
{{- if and $v.ingress.enabled (lt (mul (regexFind "[0-9]+" $v.ingress.bodySize | int64) $unit) (int64 (default 0 $v.settings.SVC_ARTIFACT_BYTES_MAX))) }}{{ fail "ingress.bodySize lets in no file of settings.SVC_ARTIFACT_BYTES_MAX" }}{{ end -}}
{{- if and $v.gatewayApi.enabled (not $v.gatewayApi.gatewayName) }}{{ fail "gatewayApi.gatewayName is needed" }}{{ end -}}
{{- if and $v.strimzi.enabled (not $v.strimzi.cluster) }}{{ fail "strimzi.cluster is needed" }}{{ end -}}
{{- if gt (int $v.strimzi.minInSyncReplicas) (int $v.strimzi.replicas) }}{{ fail "strimzi.minInSyncReplicas is more than strimzi.replicas" }}{{ end -}}
{{- range $name, $_ := $v.services -}}
{{- $s := include "aos.service" (list $ $name) | fromYaml -}}
{{- if gt (int $s.autoscaling.minReplicas) (int $s.autoscaling.maxReplicas) }}{{ fail (printf "services.%s: autoscaling.minReplicas is more than maxReplicas" $name) }}{{ end -}}
{{- $fewest := ternary $s.autoscaling.minReplicas $s.replicas $s.autoscaling.enabled -}}
{{- if and (gt (int $fewest) 1) (ge (int $s.disruption.minAvailable) (int $fewest)) }}{{ fail (printf "services.%s: disruption.minAvailable leaves no pod that may be moved" $name) }}{{ end -}}
{{- end -}}
{{- end -}}
