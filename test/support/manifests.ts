import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { projectRoot } from './project-root.js'

/** The two ways to run Billhook on Kubernetes, by their file in deploy/kubernetes. */
export const MANIFEST_FILES = ['one.yaml', 'several.yaml'] as const
export type ManifestFile = (typeof MANIFEST_FILES)[number]

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds: number
  readonly timeoutSeconds: number
  readonly failureThreshold: number
}

interface Volume {
  readonly name: string
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit: string }
  readonly secret?: {
    readonly secretName: string
    readonly defaultMode: number
    readonly items: readonly { readonly key: string; readonly path: string }[]
  }
  readonly configMap?: { readonly name: string }
  readonly persistentVolumeClaim?: { readonly claimName: string }
}

export interface Container {
  readonly image: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly startupProbe: Probe
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe
  readonly securityContext: unknown
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[]
}

export interface PodSpec {
  readonly enableServiceLinks: boolean
  readonly automountServiceAccountToken: boolean
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: {
    readonly runAsUser: number
    readonly runAsGroup: number
    readonly fsGroup: number
  } & Readonly<Record<string, unknown>>
  readonly containers: readonly [Container]
  readonly volumes: readonly Volume[]
}

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever field they assert on.
  readonly spec?: any
}

/** The objects in a text of YAML. Throws when it is not whole. */
export function manifestsIn(text: string): readonly Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) throw error
    const value: Manifest | null = document.toJS()
    return value === null ? [] : [value]
  })
}

/** `hands.yaml` is the pod for an operator's commands. */
export function readManifests(file: ManifestFile | 'hands.yaml'): readonly Manifest[] {
  return manifestsIn(readFileSync(join(projectRoot, 'deploy/kubernetes', file), 'utf8'))
}

/** The only object of a kind; undefined when there is none. */
export function ofKind(manifests: readonly Manifest[], kind: string): Manifest | undefined {
  return manifests.find((manifest) => manifest.kind === kind)
}

export function podOf(manifests: readonly Manifest[]): PodSpec {
  const workload = ofKind(manifests, 'StatefulSet') ?? ofKind(manifests, 'Deployment')
  return workload === undefined ? ofKind(manifests, 'Pod')?.spec : workload.spec.template.spec
}

/** The variables of the container, as Kubernetes sets them: those of the ConfigMap, then its own. */
export function environmentOf(manifests: readonly Manifest[]): Readonly<Record<string, string>> {
  const [container] = podOf(manifests).containers
  const given = (container.envFrom ?? []).map(({ configMapRef: { name } }) => {
    return manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name)?.data
  })
  return Object.assign({}, ...given, Object.fromEntries(container.env.map(({ name, value }) => [name, value])))
}
