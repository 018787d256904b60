{{- define "billhook.name" -}}
{{- $name := .Release.Name -}}
{{- if not (contains .Chart.Name $name) }}{{ $name = printf "%s-%s" $name .Chart.Name }}{{ end -}}
{{- /* The StatefulSet appends up to eleven characters. */ -}}
{{- $name | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{- define "billhook.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "billhook.labels" -}}
{{ include "billhook.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- define "billhook.image" -}}
{{- $image := .Values.image -}}
{{- printf "%s:%s" $image.repository ($image.tag | default .Chart.AppVersion) -}}
{{- if $image.digest }}@{{ $image.digest }}{{ end -}}
{{- end }}
