import { packageFile } from './packages.js'

/** A validator that was compiled from a schema. */
interface Validator {
  (value: unknown): boolean
  readonly errors?:
    | readonly { readonly instancePath: string; readonly message?: string; readonly keyword: string }[]
    | null
}

interface Typed {
  readonly apiVersion: string
  readonly kind: string
}

/** The modules with the schemas of Kubernetes' own objects, by API and version, and of the Prometheus operator's. */
const MODULES: Readonly<Record<string, (kind: string) => string>> = {
  v1: (kind) => `kubernetes-models/_schemas/IoK8sApiCoreV1${kind}.js`,
  'apps/v1': (kind) => `kubernetes-models/_schemas/IoK8sApiAppsV1${kind}.js`,
  'policy/v1': (kind) => `kubernetes-models/_schemas/IoK8sApiPolicyV1${kind}.js`,
  'networking.k8s.io/v1': (kind) => `kubernetes-models/_schemas/IoK8sApiNetworkingV1${kind}.js`,
  'monitoring.coreos.com/v1': (kind) =>
    `@kubernetes-models/prometheus-operator/_schemas/ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoringV1${kind}.js`,
}

/** Objects of free form, whose fields no schema knows. */
const FREE = /^\/data\/|\/(?:labels|annotations|matchLabels|requests|limits)\//

/** What the schema of its kind says against an object, one line for each flaw. A field that the schema does not know is one. */
export async function flawsOf(object: Typed): Promise<readonly string[]> {
  const place = MODULES[object.apiVersion]?.(object.kind)
  if (place === undefined) return [`no schema of ${object.apiVersion}`]
  const { validate }: { validate: Validator } = await import(packageFile(place))
  const known = new Set<string>()
  const isValid = validate(observed(object, '', known))
  const flaws = isValid
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? error.keyword}`)
  const unknown = pathsOf(object, '').filter((path) => !known.has(path) && !FREE.test(path))
  return [...flaws, ...unknown.map((path) => `${path} is not a field`)]
}

/**
 * The schemas let unknown fields pass, as Kubernetes itself did. A validator reads every field that it knows, so this notes which are
 * read.
 */
function observed<T>(value: T, path: string, known: Set<string>): T {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get: (target, name, receiver) => {
      const field = Reflect.get(target, name, receiver)
      if (typeof name !== 'string') return field
      const place = `${path}/${name}`
      known.add(place)
      return observed(field, place, known)
    },
  })
}

function pathsOf(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => [`${path}/${name}`, ...pathsOf(field, `${path}/${name}`)])
}
