{{- /* The pod of both modes. */ -}}
{{- define "billhook.pod" -}}
{{- include "billhook.checks" . -}}
{{- $several := eq .Values.mode "postgres" -}}
{{- $backup := and (not $several) .Values.backup.size -}}
metadata:
  labels:
    {{- include "billhook.labels" . | nindent 4 }}
  annotations:
    # Settings are read at start, so other settings need other pods.
    checksum/config: {{ toJson (list .Values.settings .Values.networks) | sha256sum }}
spec:
  # Variables for the Services of the namespace would look like settings.
  enableServiceLinks: false
  # The service never calls Kubernetes.
  automountServiceAccountToken: false
  # {{ if $several }}The drain, {{ else }}At most {{ end }}10 s to stop, and a margin.
  terminationGracePeriodSeconds: {{ add (ternary .Values.drainSeconds 0 $several) 20 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    # The service keeps the modes of its own files.
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if $several }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "billhook.selector" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  containers:
    - name: billhook
      image: {{ include "billhook.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        - serve
      envFrom:
        - configMapRef:
            name: {{ include "billhook.name" . }}
      env:
        - name: BILLHOOK_HOST
          value: 0.0.0.0
        - name: BILLHOOK_PORT
          value: "8080"
        # Below the mount, so that it is the service's own and nobody else can enter it.
        - name: BILLHOOK_DATA
          value: /var/lib/billhook/data
        {{- if $backup }}
        - name: BILLHOOK_BACKUP_DIR
          value: /var/backups/billhook/backups
        {{- end }}
        {{- if .Values.metrics.enabled }}
        - name: BILLHOOK_METRICS_HOST
          value: 0.0.0.0
        - name: BILLHOOK_METRICS_PORT
          value: "9464"
        {{- end }}
        {{- if $several }}
        - name: BILLHOOK_DRAIN_SECONDS
          value: {{ .Values.drainSeconds | quote }}
        {{- end }}
        {{- if .Values.networks }}
        - name: BILLHOOK_NETWORKS
          value: /etc/billhook/networks.json
        {{- end }}
        {{- range $setting, $key := .Values.secret.files }}
        - name: {{ $setting }}_FILE
          value: /run/secrets/billhook/{{ $key }}
        {{- end }}
        # Native modules are loaded from here: /dev/shm of containers takes no executable files.
        - name: RUNTIME_DIRECTORY
          value: /run/billhook
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - name: http
          containerPort: 8080
        {{- if .Values.metrics.enabled }}
        - name: metrics
          containerPort: 9464
        {{- end }}
      # A start may migrate data, which takes long.
      startupProbe:
        httpGet:
          path: /healthz
          port: http
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: {{ div (add .Values.startSeconds 4) 5 }}
      # Restarts a process that has not answered for a minute. A full disk or a lost database is no reason.
      livenessProbe:
        httpGet:
          path: /healthz
          port: http
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet:
          path: /readyz
          port: http
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 3
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop:
            - ALL
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /var/lib/billhook
        {{- if $backup }}
        - name: backup
          mountPath: /var/backups/billhook
        {{- end }}
        - name: runtime
          mountPath: /run/billhook
        {{- if .Values.secret.files }}
        - name: secrets
          mountPath: /run/secrets/billhook
          readOnly: true
        {{- end }}
        {{- if .Values.networks }}
        - name: networks
          mountPath: /etc/billhook
          readOnly: true
        {{- end }}
  volumes:
    {{- if $several }}
    # Only the socket for commands is in the data directory.
    - name: data
      emptyDir:
        sizeLimit: 64Mi
    {{- end }}
    - name: runtime
      emptyDir:
        medium: Memory
        sizeLimit: 64Mi
    {{- with .Values.secret.files }}
    - name: secrets
      secret:
        secretName: {{ $.Values.secret.name }}
        defaultMode: 0440
        items:
          {{- range . }}
          - key: {{ . }}
            path: {{ . }}
          {{- end }}
    {{- end }}
    {{- if .Values.networks }}
    - name: networks
      configMap:
        name: {{ include "billhook.name" . }}-networks
    {{- end }}
{{- end }}
