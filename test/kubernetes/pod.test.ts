import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { freePort } from '../support/free-port.js'
import { environmentOf, type ManifestFile, readManifests } from '../support/manifests.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { projectRoot } from '../support/project-root.js'
import { GATEWAY_SECRET } from '../support/service-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { Pod, podAbsence } from './pod.js'

const NO_CAPABILITIES = '0000000000000000'
/** Long enough to be seen, also on a busy machine. */
const DRAIN_SECONDS = '3'
const BACKUP = 'billhook-20260101T000000Z.backup'
const IDENTITY = 'a'.repeat(64)

/** Persistent volumes, which outlive the pods of a test. */
function volumesFor(context: TestContext): string {
  const place = temporaryDirectory()
  context.after(() => place.remove())
  return place.path
}

interface Started {
  readonly volumes?: string
  readonly secret?: Readonly<Record<string, string>>
  readonly drainSeconds?: string
}

async function started(
  context: TestContext,
  file: ManifestFile,
  { volumes = volumesFor(context), secret = {}, drainSeconds = DRAIN_SECONDS }: Started = {},
): Promise<Pod> {
  const ports = { BILLHOOK_PORT: String(await freePort()), BILLHOOK_METRICS_PORT: String(await freePort()) }
  const isDrained = 'BILLHOOK_DRAIN_SECONDS' in environmentOf(readManifests(file))
  const pod = Pod.start({
    manifests: readManifests(file),
    secret: { 'gateway-secret': `${GATEWAY_SECRET}\n`, ...secret },
    volumes,
    environment: isDrained ? { ...ports, BILLHOOK_DRAIN_SECONDS: drainSeconds } : ports,
  })
  context.after(() => pod.remove())
  await pod.answers(pod.spec.containers[0].startupProbe, 200)
  return pod
}

/** That it runs as the manifests say, and answers all that Kubernetes asks. Its store is there: a start that makes one may warn. */
async function judge(pod: Pod): Promise<void> {
  const { runAsUser, runAsGroup } = pod.spec.securityContext
  const { livenessProbe, readinessProbe } = pod.spec.containers[0]
  assert.deepEqual(pod.status('Uid').split('\t'), Array(4).fill(String(runAsUser)))
  assert.deepEqual(pod.status('Gid').split('\t'), Array(4).fill(String(runAsGroup)))
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) assert.equal(pod.status(set), NO_CAPABILITIES)
  assert.equal(pod.status('NoNewPrivs'), '1')
  assert.match(pod.status('NSpid'), /\t1$/)
  for (const path of ['/written', '/tmp/written', '/etc/written', '/run/written', '/var/lib/written']) {
    assert.throws(() => writeFileSync(pod.path(path), ''), { code: 'EROFS' }, path)
  }
  await pod.answers(readinessProbe, 200)
  assert.equal(await pod.probe(livenessProbe), 200)
  assert.equal(pod.exec('billhook', 'status', '--ready').status, 0)
  const warnings = pod.printed.split('\n').filter((line) => /"level":"(?!info)/.test(line))
  assert.deepEqual(warnings, [])
  assert.match(pod.printed, /"engine":"libsecp256k1"/)
  assert.match(pod.printed, /"server":"uws"/)
}

describe('one process on a volume, as the manifests say', { skip: podAbsence }, () => {
  test('starts without rights, answers its probes, stops, and is restored as docs/kubernetes.md says', async (context) => {
    const volumes = volumesFor(context)
    const pod = await started(context, 'one.yaml', { volumes })
    const pushed = await pod.push({ id: 'a', type: 'identity.onboarded', identity: IDENTITY })
    assert.equal(pushed, 200)
    const { BILLHOOK_DATA: data = '', BILLHOOK_BACKUP_DIR: directory } = environmentOf(readManifests('one.yaml'))
    assert.ok(existsSync(pod.path(`${data}/data.mdb`)))
    assert.equal(statSync(pod.path(data)).mode & 0o777, 0o700)
    const backup = pod.exec('sh', '-c', `mkdir -p ${directory} && billhook backup ${directory}/${BACKUP}`)
    assert.equal(backup.status, 0, backup.stderr)
    assert.equal(await pod.end(), 0, pod.printed)

    const hands = Pod.start({ manifests: readManifests('hands.yaml'), volumes })
    context.after(() => hands.remove())
    const commands = restoreCommands()
    assert.equal(commands.length, 4)
    await hands.runs('sleep')
    for (const command of commands) {
      const { status, stdout, stderr } = hands.exec('sh', '-c', command.replace('billhook-….backup', BACKUP))
      assert.equal(status, 0, `${command}: ${stdout}${stderr}`)
    }
    await hands.remove()

    const restored = await started(context, 'one.yaml', { volumes })
    await judge(restored)
    assert.ok(restored.exec('billhook', 'export', 'identities').stdout.includes(IDENTITY))
    assert.equal(await restored.end(), 0, restored.printed)
  })
})

/** What the page has an operator do in the pod for commands. */
function restoreCommands(): readonly string[] {
  const page = readFileSync(join(projectRoot, 'docs/kubernetes.md'), 'utf8')
  return [...page.matchAll(/^kubectl exec billhook-hands -- (.*?)(?: *#.*)?$/gm)].map(([, command = '']) => command)
}

if (podAbsence === false) {
  const server = await postgresForTests({ isDurable: true })
  if (server !== null) {
    describe('one of several processes on PostgreSQL, as the manifests say', () => {
      test('starts without rights, answers its probes, drains and stops', async (context) => {
        const secret = { store: server.url() }
        const first = await started(context, 'several.yaml', { secret, drainSeconds: '0' })
        assert.equal(await first.end(), 0, first.printed)
        const pod = await started(context, 'several.yaml', { secret })
        await judge(pod)
        const { livenessProbe, readinessProbe } = pod.spec.containers[0]
        const ended = pod.end()
        await pod.answers(readinessProbe, 503)
        assert.equal(await pod.probe(livenessProbe), 200)
        assert.equal(await ended, 0, pod.printed)
      })
    })
  }
}
