import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { DRAIN_TIMEOUT_MS } from '../../src/cli/serve.js'
import { settingEntries } from '../../src/config/schema.js'
import { fileVariableOf } from '../../src/config/secret-files.js'
import { variableOf } from '../../src/config/setting.js'
import { readSettings } from '../../src/config.js'
import { startWarnings } from '../../src/service/start-warnings.js'
import { VERSION } from '../../src/version.js'
import { environmentOf, MANIFEST_FILES, type ManifestFile, ofKind, podOf, readManifests } from '../support/manifests.js'
import { productionEnvironment } from '../support/production.js'
import { projectRoot } from '../support/project-root.js'

/** What a signal needs until the service has it, and the end of the process until Kubernetes knows. */
const MARGIN_MS = 5000
const STORE = 'postgres://billhook:password@db:5432/billhook'

const chart = join(projectRoot, 'deploy/kubernetes/billhook')
const dockerfile = readFileSync(join(projectRoot, 'deploy/container/Dockerfile'), 'utf8')
const secrets = settingEntries.flatMap(([name, { about }]) => (about.secret === true ? [variableOf(name, about)] : []))

function settingsOf(file: ManifestFile) {
  const environment = environmentOf(readManifests(file))
  const { RUNTIME_DIRECTORY, ...given } = environment
  const files = secrets.map(fileVariableOf)
  const settings = Object.fromEntries(Object.entries(given).filter(([name]) => !files.includes(name)))
  const read = readSettings([], {
    ...settings,
    BILLHOOK_GATEWAY_SECRET: productionEnvironment['BILLHOOK_GATEWAY_SECRET'],
    ...(fileVariableOf('BILLHOOK_STORE') in given ? { BILLHOOK_STORE: STORE } : {}),
  })
  assert.ok('settings' in read, JSON.stringify(read))
  return { environment, settings: read.settings }
}

for (const file of MANIFEST_FILES) {
  describe(`deploy/kubernetes/${file}`, () => {
    const manifests = readManifests(file)
    const pod = podOf(manifests)
    const [container] = pod.containers

    test('satisfies the restricted profile of the Pod Security Standards', () => {
      const { runAsUser, runAsGroup, fsGroup, ...security } = pod.securityContext
      assert.deepEqual(security, {
        runAsNonRoot: true,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      })
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      assert.ok(dockerfile.includes(`\nUSER ${runAsUser}:${runAsGroup}\n`))
      assert.equal(fsGroup, runAsGroup)
      const kinds = pod.volumes.flatMap(({ name, ...source }) => Object.keys(source))
      const allowed = ['configMap', 'emptyDir', 'secret']
      assert.deepEqual(
        kinds.filter((kind) => !allowed.includes(kind)),
        [],
      )
    })

    test('keeps what Kubernetes tells pods away from the service', () => {
      assert.equal(pod.enableServiceLinks, false)
      assert.equal(pod.automountServiceAccountToken, false)
    })

    test('runs the image of this version, as its Dockerfile has it', () => {
      assert.ok(container.image.endsWith(`/billhook:${VERSION}`))
      assert.deepEqual(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')).appVersion, VERSION)
      assert.ok(dockerfile.includes('ENTRYPOINT ["billhook"]\n'))
      assert.deepEqual(container.args, ['serve'])
    })

    test('gives the service settings with which it starts without a warning', () => {
      const { environment, settings } = settingsOf(file)
      assert.deepEqual(startWarnings(settings, false), [])
      assert.equal(settings.strict, true)
      const { host, port, metricsHost, metricsPort } = settings
      assert.deepEqual([host, metricsHost], ['0.0.0.0', '0.0.0.0'])
      const ports = { http: port, metrics: metricsPort }
      assert.deepEqual(Object.fromEntries(container.ports.map((each) => [each.name, each.containerPort])), ports)
      const service = ofKind(manifests, 'Service')?.spec.ports
      for (const { name, port: number, targetPort } of service) {
        assert.equal(targetPort, name)
        assert.equal(number, ports[name as keyof typeof ports])
      }
      const known = settingEntries.map(([name, { about }]) => variableOf(name, about))
      for (const name of Object.keys(environment)) {
        const isKnown = known.includes(name) || secrets.map(fileVariableOf).includes(name)
        assert.ok(isKnown || name === 'RUNTIME_DIRECTORY', name)
      }
    })

    test('mounts what the service writes and reads, and nothing else can be written', () => {
      const { environment, settings } = settingsOf(file)
      const mounts = new Map(container.volumeMounts.map((mount) => [mount.name, mount]))
      assert.equal(settings.dataDirectory, `${mounts.get('data')?.mountPath}/data`)
      assert.equal(environment['RUNTIME_DIRECTORY'], mounts.get('runtime')?.mountPath)
      const read = [...mounts.values()].filter(({ readOnly }) => readOnly === true).map(({ name }) => name)
      assert.deepEqual(read, ['secrets'])
      const { secret } = pod.volumes.find(({ name }) => name === 'secrets') ?? assert.fail('there are no secrets')
      const paths = secret?.items.map(({ path }) => `${mounts.get('secrets')?.mountPath}/${path}`)
      const named = secrets.map(fileVariableOf).flatMap((name) => environment[name] ?? [])
      assert.deepEqual(paths?.sort(), named.sort())
    })

    test('asks the service whether it lives and is ready, and gives it the time that it may take', () => {
      const { startupProbe, livenessProbe, readinessProbe } = container
      const asked = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)
      assert.deepEqual(asked, [
        { path: '/healthz', port: 'http' },
        { path: '/healthz', port: 'http' },
        { path: '/readyz', port: 'http' },
      ])
      // A pause of the machine is no reason to end a process, and a migration takes long.
      assert.ok(livenessProbe.periodSeconds * livenessProbe.failureThreshold >= 60)
      assert.ok(startupProbe.periodSeconds * startupProbe.failureThreshold >= 3600)
    })

    test('waits for as long as a stop takes', () => {
      const drainMs = settingsOf(file).settings.drainSeconds * 1000
      assert.ok(pod.terminationGracePeriodSeconds * 1000 >= drainMs + DRAIN_TIMEOUT_MS + MARGIN_MS)
    })

    test('lets through what the proxies of deploy let through', () => {
      const { paths } = ofKind(manifests, 'Ingress')?.spec.rules[0].http ?? {}
      const nginx = readFileSync(join(projectRoot, 'deploy/nginx/billhook.conf'), 'utf8')
      const locations = [...nginx.matchAll(/^ *location (?:= )?(\/\S+) \{$/gm)].map(([, path = '']) => path)
      const passed = locations.filter((path) => path !== '/away.html' && !path.startsWith('/.well-known/'))
      const allowed = new Set(passed.map((path) => path.replace(/\/$/, '')))
      assert.deepEqual(paths.map(({ path }: { path: string }) => path).sort(), [...allowed].sort())
    })

    test('shows the ports to those alone whom it names', () => {
      const { ingress, policyTypes } = ofKind(manifests, 'NetworkPolicy')?.spec ?? {}
      assert.deepEqual(policyTypes, ['Ingress', 'Egress'])
      for (const rule of ingress) assert.ok(rule.from.length > 0)
      const ports = ingress.map((rule: { ports: unknown }) => rule.ports)
      assert.deepEqual(ports, [[{ port: 'http' }], [{ port: 'metrics' }]])
    })
  })
}

describe('one process on a volume', () => {
  const manifests = readManifests('one.yaml')

  test('is never two, and its volume outlives it', () => {
    const { replicas, updateStrategy, persistentVolumeClaimRetentionPolicy, volumeClaimTemplates } =
      ofKind(manifests, 'StatefulSet')?.spec ?? {}
    assert.equal(replicas, 1)
    assert.equal(updateStrategy, undefined, 'the default, which ends the old pod first')
    assert.deepEqual(persistentVolumeClaimRetentionPolicy, { whenDeleted: 'Retain', whenScaled: 'Retain' })
    for (const { spec } of volumeClaimTemplates) assert.deepEqual(spec.accessModes, ['ReadWriteOncePod'])
    const claims = volumeClaimTemplates.map((claim: { metadata: { name: string } }) => claim.metadata.name)
    assert.deepEqual(claims, ['data', 'backup'])
    assert.equal(ofKind(manifests, 'Deployment'), undefined)
  })

  test('has backups on the other volume', () => {
    const [container] = podOf(manifests).containers
    const mount = container.volumeMounts.find(({ name }) => name === 'backup')
    assert.equal(settingsOf('one.yaml').settings.backupDir, `${mount?.mountPath}/backups`)
  })
})

describe('the pod for commands', () => {
  const hands = podOf(readManifests('hands.yaml'))
  const one = readManifests('one.yaml')

  test('has the rights, the program and the places of the process that it stands in for', () => {
    const [container] = hands.containers
    const [process] = podOf(one).containers
    assert.deepEqual(hands.securityContext, podOf(one).securityContext)
    assert.deepEqual(container.securityContext, process.securityContext)
    assert.equal(container.image, process.image)
    assert.equal(hands.enableServiceLinks, false)
    assert.equal(hands.automountServiceAccountToken, false)
    const environment = environmentOf(one)
    for (const { name, value } of container.env) assert.equal(value, environment[name], name)
    const mounts = process.volumeMounts.filter(({ name }) => name !== 'secrets')
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)
    assert.deepEqual([...container.volumeMounts].sort(byName), mounts.sort(byName))
  })

  test('takes the volumes of the StatefulSet', () => {
    const { metadata, spec } = ofKind(one, 'StatefulSet') ?? assert.fail('there is no StatefulSet')
    for (const claim of spec.volumeClaimTemplates) {
      const volume = hands.volumes.find(({ name }) => name === claim.metadata.name)
      assert.equal(volume?.persistentVolumeClaim?.claimName, `${claim.metadata.name}-${metadata.name}-0`)
    }
  })
})

describe('several processes on PostgreSQL', () => {
  const manifests = readManifests('several.yaml')

  test('keep serving while one is replaced or its machine is drained', () => {
    const { replicas, strategy } = ofKind(manifests, 'Deployment')?.spec ?? {}
    assert.ok(replicas >= 2)
    assert.deepEqual(strategy, { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } })
    const { maxUnavailable, unhealthyPodEvictionPolicy, selector } =
      ofKind(manifests, 'PodDisruptionBudget')?.spec ?? {}
    assert.deepEqual([maxUnavailable, unhealthyPodEvictionPolicy], [1, 'AlwaysAllow'])
    assert.deepEqual(selector, ofKind(manifests, 'Deployment')?.spec.selector)
  })

  test('go on serving until proxies have heard of their end', () => {
    const { readinessProbe } = podOf(manifests).containers[0]
    const { settings } = settingsOf('several.yaml')
    assert.ok(settings.drainSeconds > readinessProbe.periodSeconds * readinessProbe.failureThreshold)
  })

  test('have their state in the database', () => {
    assert.equal(settingsOf('several.yaml').settings.store, STORE)
    assert.ok(podOf(manifests).volumes.some(({ name, emptyDir }) => name === 'data' && emptyDir !== undefined))
  })
})

describe('the schema of the values', () => {
  const { properties } = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'))

  test('takes secrets as files alone', () => {
    assert.deepEqual([...properties.secret.properties.files.propertyNames.enum].sort(), [...secrets].sort())
    const refused: readonly string[] = properties.settings.propertyNames.not.enum
    for (const secret of secrets) assert.ok(refused.includes(secret), secret)
  })

  test('refuses settings that the chart makes itself', () => {
    const refused: readonly string[] = properties.settings.propertyNames.not.enum
    for (const file of MANIFEST_FILES) {
      for (const { name } of podOf(readManifests(file)).containers[0].env) {
        const setting = name.replace(/_FILE$/, '')
        assert.ok(refused.includes(setting) || name === 'RUNTIME_DIRECTORY', name)
      }
    }
  })

  test('names settings that exist', () => {
    const known = settingEntries.map(([name, { about }]) => variableOf(name, about))
    for (const name of properties.settings.propertyNames.not.enum) assert.ok(known.includes(name), name)
  })
})
