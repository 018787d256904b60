import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { environmentOf, MANIFEST_FILES, manifestsIn, ofKind, podOf, readManifests } from '../support/manifests.js'
import { projectRoot } from '../support/project-root.js'
import { type ChartValues, Helm } from './helm.js'
import { toolsAbsence } from './packages.js'
import { renderedFile } from './rendered.js'
import { flawsOf } from './schemas.js'

/** Everything that is off by default, on. */
const EVERYTHING = `
image: {tag: "1.2.3", digest: "sha256:${'a'.repeat(64)}", pullPolicy: Always}
imagePullSecrets: [{name: registry}]
networks: {networks: [{id: ETH, kind: evm}]}
extraEnv: [{name: NODE_KEY, valueFrom: {secretKeyRef: {name: billhook, key: node-key}}}]
nodeSelector: {disk: fast}
tolerations: [{key: payments, operator: Exists}]
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}
priorityClassName: payments
volume: {storageClassName: fast, accessMode: ReadWriteOnce}
metrics: {serviceMonitor: {enabled: true, labels: {release: prometheus}}}
ingress: {annotations: {a: b}}
`
/** Everything that is on by default, off. */
const NOTHING = `
secret: {files: {BILLHOOK_GATEWAY_SECRET: null}}
metrics: {enabled: false}
ingress: {enabled: false}
networkPolicy: {enabled: false}
resources: null
`
const NOBODY = 'networkPolicy: {clients: [], monitoring: [], dns: []}'

const rendered: readonly (readonly [name: string, values: ChartValues])[] = [
  ...MANIFEST_FILES.map((file) => [file, { file }] as const),
  ...MANIFEST_FILES.map((file) => [`everything in ${file}`, { file, more: withoutVolume(file, EVERYTHING) }] as const),
  ['the least', { file: 'one.yaml', more: NOTHING }],
  ['nobody let in', { file: 'several.yaml', more: NOBODY }],
]

const refused: readonly (readonly [problem: RegExp, values: ChartValues])[] = [
  [/does not match pattern/, { file: 'one.yaml', more: 'settings: {BILLHOOK_PUBLIC_URL: ""}' }],
  [/BILLHOOK_HOST/, { file: 'one.yaml', more: 'settings: {BILLHOOK_HOST: "::"}' }],
  [/BILLHOOK_STORE/, { file: 'several.yaml', more: 'settings: {BILLHOOK_STORE: "postgres://db/billhook"}' }],
  [/got boolean, want string/, { file: 'one.yaml', more: 'settings: {BILLHOOK_STRICT: on}' }],
  [/additional properties 'sise' not allowed/, { file: 'one.yaml', more: 'volume: {sise: 1Gi}' }],
  [/mode: postgres needs secret.files.BILLHOOK_STORE/, { file: 'one.yaml', more: 'mode: postgres' }],
  [/BILLHOOK_STORE needs mode: postgres/, { file: 'several.yaml', more: 'mode: volume' }],
  [/backup needs mode: volume/, { file: 'several.yaml', more: 'backup: {size: 1Gi}' }],
  [
    /an ingress needs settings.BILLHOOK_TRUSTED_PROXIES/,
    { file: 'one.yaml', more: 'settings: {BILLHOOK_TRUSTED_PROXIES: ""}' },
  ],
  [/an ingress needs ingress.host and ingress.tlsSecret/, { file: 'one.yaml', more: 'ingress: {tlsSecret: ""}' }],
  [
    /serviceMonitor needs metrics.enabled/,
    { file: 'one.yaml', more: 'metrics: {enabled: false, serviceMonitor: {enabled: true}}' },
  ],
]

function withoutVolume(file: string, values: string): string {
  return file === 'several.yaml' ? values.replace(/^volume:.*\n/m, '') : values
}

describe('the chart', { skip: toolsAbsence }, () => {
  let helm: Helm
  before(async () => {
    helm = await Helm.unpack()
  })
  after(() => helm.remove())

  for (const [name, values] of rendered) {
    test(`satisfies helm lint and the schemas of Kubernetes: ${name}`, async () => {
      const lint = helm.lint(values)
      assert.equal(lint.status, 0, lint.stdout + lint.stderr)
      const { status, stdout, stderr } = helm.template(values)
      assert.equal(status, 0, stderr)
      const manifests = manifestsIn(stdout)
      assert.ok(manifests.length >= 3)
      for (const manifest of manifests) assert.deepEqual(await flawsOf(manifest), [], manifest.kind)
    })
  }

  test('has beside it a pod for commands that satisfies the schema', async () => {
    for (const manifest of readManifests('hands.yaml')) assert.deepEqual(await flawsOf(manifest), [])
  })

  for (const file of MANIFEST_FILES) {
    test(`renders the plain manifests: ${file} (npm run manifests)`, () => {
      const written = readFileSync(join(projectRoot, 'deploy/kubernetes', file), 'utf8')
      assert.equal(renderedFile(helm, file), written)
    })
  }

  for (const [problem, values] of refused) {
    test(`refuses values that do not belong together: ${values.more}`, () => {
      const { status, stderr } = helm.template(values)
      assert.notEqual(status, 0)
      assert.match(stderr, problem)
    })
  }

  test('mounts the networks and passes on variables for their nodes', () => {
    const manifests = manifestsIn(helm.template({ file: 'one.yaml', more: EVERYTHING }).stdout)
    const [container] = podOf(manifests).containers
    const mount = container.volumeMounts.find(({ name }) => name === 'networks')
    assert.equal(environmentOf(manifests)['BILLHOOK_NETWORKS'], `${mount?.mountPath}/networks.json`)
    const files = manifests.find(({ metadata }) => metadata.name === 'billhook-networks')?.data
    assert.deepEqual(JSON.parse(files?.['networks.json'] ?? ''), { networks: [{ id: 'ETH', kind: 'evm' }] })
    assert.ok(container.env.some(({ name }) => name === 'NODE_KEY'))
    assert.equal(container.image, `registry.example/billhook:1.2.3@sha256:${'a'.repeat(64)}`)
  })

  test('replaces pods when settings change', () => {
    const annotations = (more: string) => {
      const manifests = manifestsIn(helm.template({ file: 'several.yaml', more }).stdout)
      return ofKind(manifests, 'Deployment')?.spec.template.metadata.annotations
    }
    assert.notDeepEqual(annotations('{}'), annotations('settings: {BILLHOOK_LOG: debug}'))
    assert.deepEqual(annotations('{}'), annotations('replicas: 3'))
  })

  test('lets nobody in whom the values do not name', () => {
    const manifests = manifestsIn(helm.template({ file: 'one.yaml', more: NOBODY }).stdout)
    assert.deepEqual(ofKind(manifests, 'NetworkPolicy')?.spec.ingress, [])
  })

  test('has names of its own for each release', () => {
    for (const [release, name] of [
      ['billhook', 'billhook'],
      ['shop', 'shop-billhook'],
      ['billhook-test', 'billhook-test'],
    ] as const) {
      const { stdout } = helm.template({ file: 'one.yaml' }, release)
      assert.equal(ofKind(manifestsIn(stdout), 'StatefulSet')?.metadata.name, name)
    }
  })
})

describe('the check by schemas', { skip: toolsAbsence }, () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } }

  test('finds wrong types and fields that do not exist', async () => {
    assert.deepEqual(await flawsOf({ ...service, spec: { ports: [{ port: 1 }] } } as never), [])
    assert.deepEqual(await flawsOf({ ...service, spec: { ports: [{ port: '1' }] } } as never), [
      '/spec/ports/0/port type',
    ])
    assert.deepEqual(await flawsOf({ ...service, spec: { port: [] } } as never), ['/spec/port is not a field'])
    assert.deepEqual(await flawsOf({ ...service, apiVersion: 'v0' }), ['no schema of v0'])
  })
})
