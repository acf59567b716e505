{{- define "armature.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "armature.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "armature.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "armature.selectorLabels" -}}
app.kubernetes.io/name: {{ include "armature.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "armature.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "armature.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "armature.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "armature.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "armature.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- /* The settings that hold a secret, each a key of the Secret. */ -}}
{{- define "armature.secretSettings" -}}
{{- list "DATABASE_URL" "DATABASE_SERVICE_URL" "JWT_SECRET" "JWT_PRIVATE_KEY" "JWT_PREVIOUS_KEYS" "ENCRYPTION_KEY" "ENCRYPTION_PREVIOUS_KEYS" "ADMIN_PASSWORD" "SMTP_URL" "REDIS_URL" "METRICS_TOKEN" "OIDC_CLIENT_SECRET" | toJson -}}
{{- end -}}
