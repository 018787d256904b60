import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { RESERVED_BYTES } from '../../src/store/lmdb/commit/data-disk.js'
import { ask, pushEvents } from '../chaos/http-client.js'
import { command } from '../cli/served.js'
import { missingPrograms } from '../support/programs.js'
import { ServiceProcess } from '../support/service-process.js'
import { noSmallDisk, smallDisk } from '../support/small-disk.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { RecordsOfOrders, TAKES_RATES } from './records-of-orders.js'

const DESCRIPTION = 'x'.repeat(1000)
const CREATIONS_AT_ONCE = 64
/** Far more than fit into the space that is left. */
const CREATIONS_MAX = 20_000
const REFUSALS_ENOUGH = 200
/** The most that a push may carry. */
const PUSHED_WALLETS = 1000
const SPACE_LEFT_BYTES = 1 << 18
const DISK_BYTES = 32 << 20

/** Takes the space from a service, and gives it back. */
interface Disk {
  readonly directory: string
  fill(service: ServiceProcess): void
  free(service: ServiceProcess): void
  /** Whether a process that starts meets it full, too. */
  readonly isFullForAll: boolean
}

test('a file that may not grow: writes are refused, reads go on, nothing is lost, orders, rates and notes included, and space that returns is used', {
  skip: missingPrograms('prlimit'),
  timeout: 120_000,
}, async () => {
  const place = temporaryDirectory()
  const limit = (service: ServiceProcess, bytes: string) =>
    execFileSync('prlimit', ['--pid', String(service.child.pid), `--fsize=${bytes}:unlimited`])
  try {
    await fillAndFree({
      directory: place.path,
      fill: (service) => {
        const { size } = statSync(join(place.path, 'data.mdb'))
        limit(service, String(size + SPACE_LEFT_BYTES))
      },
      free: (service) => void limit(service, 'unlimited'),
      isFullForAll: false,
    })
  } finally {
    place.remove()
  }
})

test('a file system that is full: the same', { skip: noSmallDisk, timeout: 120_000 }, async () => {
  const disk = smallDisk(DISK_BYTES)
  try {
    const log = await fillAndFree({
      directory: join(disk.path, 'data'),
      fill: () => disk.fill(RESERVED_BYTES + SPACE_LEFT_BYTES),
      free: () => disk.free(),
      isFullForAll: true,
    })
    // The database's native code would damage the memory of the process.
    assert.doesNotMatch(log, /a library says/, 'the database met the full disk')
  } finally {
    disk.remove()
  }
})

/** Answers the log of the service while the disk was full. */
async function fillAndFree(disk: Disk): Promise<string> {
  let log = ''
  const start = async () => {
    const settings = { BILLHOOK_LOG: 'warn', BILLHOOK_METRICS_PORT: '0', ...TAKES_RATES }
    const started = await ServiceProcess.start(disk.directory, settings, [], 'pipe')
    started.child.stderr?.on('data', (text) => {
      log += text
    })
    return started
  }
  let service = await start()
  try {
    let { url } = service
    const wallet = { id: 'w', address: '0x00000000000000000000000000000000000000f0', network: 'SEP' }
    const assigned = await pushEvents(url, [{ id: '1', type: 'wallet.assigned', wallet, owner: 'shop' }])
    assert.equal(assigned?.json.results[0].status, 'applied')
    const others = await RecordsOfOrders.write(url, disk.directory)
    disk.fill(service)
    const created = await createUntilRefused(url)
    assert.ok(created.length > 0)

    // Small writes may still find a free page; this one is larger than all of them.
    const wallets = Array.from({ length: PUSHED_WALLETS }, (_, n) => ({
      id: `w${n}`,
      address: `0x${String(n).padStart(40, '0')}`,
      network: 'SEP',
    }))
    const events = wallets.map((wallet) => ({ id: wallet.id, type: 'wallet.created', wallet }))
    const refused = await pushEvents(url, events)
    assert.equal(refused?.json?.code, 'storage_unavailable')
    await assertReads(url, created)
    await others.assertRefuses(url)
    await others.assertKept(url)
    const unready = await ask('GET', `${url}/readyz`)
    assert.deepEqual([unready?.status, unready?.json.code], [503, 'storage_unavailable'])
    assert.equal((await ask('GET', `${url}/healthz`))?.status, 200)
    await assertReadyMetric(service, 0)
    const { stdout } = await command('status', '--data', disk.directory)
    assert.match(
      stdout,
      /^Running at .*, not ready\.\nNot ready: the store refuses writes: .*\. See: billhook doctor$/m,
    )
    // The binding's own words.
    assert.doesNotMatch(stdout, /commitError/)

    if (disk.isFullForAll) {
      await service.end('SIGKILL')
      service = await start()
      url = service.url
      await assertReads(url, created)
      await assertRefuses(url)
      await others.assertRefuses(url)
      await others.assertKept(url)
    }
    disk.free(service)
    // Without any traffic that writes.
    await untilReady(url)
    await assertReadyMetric(service, 1)
    created.push(await createAfterwards(url, 1))
    await assertReads(url, created)
    assert.deepEqual(await service.end('SIGKILL'), { code: null, signal: 'SIGKILL' })
    assertJsonLines(log)

    service = await ServiceProcess.start(disk.directory, { BILLHOOK_LOG: 'fatal', ...TAKES_RATES })
    await assertReads(service.url, created)
    await others.assertKept(service.url)
    created.push(await createAfterwards(service.url, 2))
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
    return log
  } finally {
    if (service.child.exitCode === null && service.child.signalCode === null) await service.end('SIGKILL')
  }
}

/** The database's native code prints on its own; nothing of it must stand between the lines of the log. */
function assertJsonLines(log: string): void {
  const lines = log.split('\n').slice(0, -1)
  assert.ok(lines.length > 0)
  for (const line of lines) assert.doesNotThrow(() => JSON.parse(line), line)
}

/** A process that has written nothing yet finds out by its first write. */
async function assertRefuses(url: string): Promise<void> {
  const answer = await create(url, '0.5')
  assert.deepEqual([answer?.status, answer?.json.code], [503, 'storage_unavailable'])
  assert.equal((await ask('GET', `${url}/readyz`))?.status, 503)
}

async function untilReady(url: string): Promise<void> {
  while ((await ask('GET', `${url}/readyz`))?.status !== 200) await new Promise((resolve) => setTimeout(resolve, 50))
}

async function assertReadyMetric({ metricsUrl }: ServiceProcess, value: 0 | 1): Promise<void> {
  assert.ok(metricsUrl)
  assert.match(await (await fetch(metricsUrl)).text(), new RegExp(`^billhook_ready ${value}$`, 'm'))
}

function create(url: string, amount: string) {
  const body = { owner: 'shop', walletIds: ['w'], name: 'Order', description: DESCRIPTION, amount }
  return ask('POST', `${url}/api/invoices`, JSON.stringify(body))
}

/** The ids of what was created before the disk refused. */
async function createUntilRefused(url: string): Promise<string[]> {
  const ids: string[] = []
  let refusals = 0
  for (let n = 1; refusals < REFUSALS_ENOUGH && n < CREATIONS_MAX; n += CREATIONS_AT_ONCE) {
    const answers = await Promise.all(Array.from({ length: CREATIONS_AT_ONCE }, (_, i) => create(url, `${n + i}.1`)))
    for (const answer of answers) {
      assert.ok(answer, 'the service does not answer')
      if (answer.status === 201) ids.push(answer.json.id)
      else {
        assert.deepEqual([answer.status, answer.json.code], [503, 'storage_unavailable'])
        assert.equal(answer.headers.get('retry-after'), '1')
        refusals += 1
      }
    }
  }
  assert.ok(refusals >= REFUSALS_ENOUGH, 'the disk was never full')
  return ids
}

async function createAfterwards(url: string, n: number): Promise<string> {
  const answer = await create(url, `0.${n}`)
  assert.equal(answer?.status, 201, JSON.stringify(answer?.json))
  return answer.json.id
}

/** What was acknowledged is there, and nothing else: a refused creation leaves no trace. */
async function assertReads(url: string, ids: readonly string[]): Promise<void> {
  const answer = await ask('GET', `${url}/api/users/shop/invoices`)
  assert.equal(answer?.status, 200)
  assert.deepEqual(new Set(answer.json.map((invoice: { id: string }) => invoice.id)), new Set(ids))
  const shown = await ask('GET', `${url}/api/invoices/${ids[0]}`)
  assert.equal(shown?.json.payment.status, 'unpaid')
}
