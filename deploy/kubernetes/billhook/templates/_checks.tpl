{{- /* What the schema of the values cannot say: how they belong together. */ -}}
{{- define "billhook.checks" -}}
{{- $store := hasKey .Values.secret.files "BILLHOOK_STORE" -}}
{{- if and (eq .Values.mode "postgres") (not $store) -}}
{{- fail "mode: postgres needs secret.files.BILLHOOK_STORE, the key with the address of the database" -}}
{{- end -}}
{{- if and (eq .Values.mode "volume") $store -}}
{{- fail "secret.files.BILLHOOK_STORE needs mode: postgres" -}}
{{- end -}}
{{- if and (eq .Values.mode "postgres") .Values.backup.size -}}
{{- fail "backup needs mode: volume: back up the database with its own tools" -}}
{{- end -}}
{{- if .Values.ingress.enabled -}}
{{- if not .Values.settings.BILLHOOK_TRUSTED_PROXIES -}}
{{- fail "an ingress needs settings.BILLHOOK_TRUSTED_PROXIES: without it all clients count as one" -}}
{{- end -}}
{{- if not (and .Values.ingress.host .Values.ingress.tlsSecret) -}}
{{- fail "an ingress needs ingress.host and ingress.tlsSecret" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.enabled) -}}
{{- fail "metrics.serviceMonitor needs metrics.enabled" -}}
{{- end -}}
{{- end }}
