import assert from 'node:assert/strict'
import { randomBytes, X509Certificate } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { makeCertificate } from '../support/certificates.js'
import { earlierAnswers, putEarlierData } from '../support/earlier-data.js'
import { testKey } from '../support/signing.js'
import { lost, readAnswers } from '../upgrade/answers.js'
import { KEYS, walletOf } from '../upgrade/history.js'
import { type Answered, askAdmin, HttpsClient, NO_ANSWER } from './https-client.js'
import { Trade } from './trade.js'
import { run, unit, until } from './unit.js'

/*
 * A day of an operator, as root on a system that may be thrown away (.ci/boot):
 *
 *     node dist/test/operator/day.js <package>
 *
 * Installs the Debian package on data of version 0.1.0 and cuts the power in the migration. Then, while a shop sells: backs up,
 * reloads the certificate, replaces every secret, fills the disk and frees it, loses the machine and restores the backup.
 */

const DATA = '/var/lib/billhook'
/** Where systemd keeps what belongs to a unit with a dynamic user. */
const DISK = '/var/lib/private/billhook'
const DISK_SIZE = '96m'
const BACKUPS = '/backup'
const SETTINGS = '/etc/billhook/billhook.env'
const GATEWAY_SECRET = '/etc/billhook/gateway-secret'
const TLS = '/etc/billhook/tls'
const TLS_GROUP = 'billhook-tls'
const PORT = 8443

const OWNER = 'alice'
const BUSY = 100
const BACKUPS_UNDER_LOAD = 3
const RELOADS = 5
const OVERLAP_SECONDS = 5
const REFUSALS_ENOUGH = 50
const SPACE_LEFT_BYTES = 1 << 18
/** Each flush of the disk takes so much longer while the power is to be cut. */
const FLUSH_DELAY_MICROSECONDS = 200_000

interface ServedCertificate {
  readonly certificate: string
  readonly key: string
  /** Upper-case hex. */
  readonly serial: string
}

/** What an export wrote, by kind. */
type Books = Readonly<Record<'invoices' | 'deposits' | 'keys' | 'wallets', string>>

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** A step of the day; what it resolves with is told. */
async function step(title: string, work: () => Promise<string>): Promise<void> {
  tell(`-- ${title}`)
  tell(`   ${await work()}`)
}

const billhook = (...args: readonly string[]) => run('billhook', ...args, '--data', DATA)

const admin = (method: string, path: string, body?: string): Promise<Answered> =>
  askAdmin(`${DATA}/admin.sock`, { method, path, ...(body === undefined ? {} : { body }) })

// --- Before the trade -------------------------------------------------------------------------------------------------

async function install(file: string): Promise<string> {
  rmSync('/usr/sbin/policy-rc.d', { force: true })
  await run('dpkg', '--install', file)
  return (await run('systemd-analyze', 'security', '--no-pager', 'billhook.service')).trim().split('\n').at(-1) ?? ''
}

async function fillIn(): Promise<string> {
  const values = {
    BILLHOOK_PUBLIC_URL: `https://localhost:${PORT}`,
    BILLHOOK_ONBOARDING_NAME: 'shop',
    BILLHOOK_PORT: String(PORT),
    BILLHOOK_TRUSTED_PROXIES: '',
    BILLHOOK_CALLBACK_ALLOW: '127.0.0.0/8',
    BILLHOOK_TLS_CERT: `${TLS}/crt`,
    BILLHOOK_TLS_KEY: `${TLS}/key`,
  }
  const kept = readFileSync(SETTINGS, 'utf8')
    .split('\n')
    .filter((line) => !Object.hasOwn(values, line.replace(/=.*/, '')))
  writeFileSync(SETTINGS, `${[...kept, ...Object.entries(values).map((pair) => pair.join('='))].join('\n')}\n`)
  await run('groupadd', '--system', TLS_GROUP)
  mkdirSync(TLS, { mode: 0o750 })
  await run('chgrp', TLS_GROUP, TLS)
  await unit.change('tls', [`SupplementaryGroups=${TLS_GROUP}`])
  return `settings in ${SETTINGS}`
}

/** Puts a certificate where the settings name it: the key first. */
async function putCertificate({ certificate, key }: { readonly certificate: string; readonly key: string }) {
  for (const [from, to] of [
    [key, 'key'],
    [certificate, 'crt'],
  ] as const) {
    copyFileSync(from, `${TLS}/${to}`)
    await run('chgrp', TLS_GROUP, `${TLS}/${to}`)
    await run('chmod', '640', `${TLS}/${to}`)
  }
}

/** A disk of its own for the data. */
async function mountDisk(): Promise<void> {
  mkdirSync(DISK, { recursive: true, mode: 0o700 })
  await run('mount', '-t', 'tmpfs', '-o', `size=${DISK_SIZE},mode=700`, 'billhook', DISK)
}

async function cutInMigration(): Promise<string> {
  await mountDisk()
  putEarlierData(DISK)
  const flushes = 'fdatasync,fsync,msync'
  await unit.change('slow-disk', [
    'ExecStart=',
    `ExecStart=/usr/bin/strace --follow-forks --output=/dev/null --trace=${flushes} --inject=${flushes}:delay_enter=${FLUSH_DELAY_MICROSECONDS} /usr/bin/billhook serve`,
    // strace wants more than the service may.
    'SystemCallFilter=',
  ])
  await unit.beginToStart()
  await until('the migration begins', () => unit.log().includes('migrating the data'))
  await sleep((3 * FLUSH_DELAY_MICROSECONDS) / 1000)
  await unit.kill()
  await unit.stop()
  await unit.unchange('slow-disk')
  const left = (await billhook('migrate', '--check')).trim()
  assert.match(left, /of which \d+ are done/)
  return left
}

async function upgrade(): Promise<string> {
  await unit.start()
  const before = earlierAnswers()
  const after = await readAnswers((path) => admin('GET', path))
  assert.deepEqual(lost(before, after), [])
  return `${Object.keys(before).length} answers of version 0.1.0 are the same; ${(await billhook('check')).trim()}`
}

// --- While the shop sells ---------------------------------------------------------------------------------------------

/** Fails if a request of the shop failed meanwhile. */
async function withoutFailure(trade: Trade, work: () => Promise<void>): Promise<string> {
  trade.failures = []
  const before = trade.deposits.length
  await work()
  await trade.sells(1)
  assert.deepEqual([trade.failures, trade.rejected], [[], []])
  return `${trade.deposits.length - before} invoices were sold and paid meanwhile, no request failed`
}

async function backUp(trade: Trade): Promise<void> {
  mkdirSync(BACKUPS, { mode: 0o700 })
  for (let n = 1; n <= BACKUPS_UNDER_LOAD; n += 1) {
    await billhook('backup', `${BACKUPS}/${n}`)
    await trade.sells(BUSY)
  }
}

async function reload(certificates: readonly ServedCertificate[]): Promise<void> {
  for (let n = 1; n <= RELOADS; n += 1) {
    const next = certificates[n % certificates.length]
    assert.ok(next)
    await putCertificate(next)
    await unit.reload()
    await until('the new certificate is served', async () => (await servedSerial()) === next.serial)
  }
}

async function servedSerial(): Promise<string> {
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const opened = connect({ port: PORT, host: '127.0.0.1', rejectUnauthorized: false }, () => resolve(opened))
    opened.on('error', reject)
  })
  const { serialNumber } = socket.getPeerCertificate()
  socket.destroy()
  return serialNumber
}

/** The secret of the shop's webhooks: both work until the overlap has ended. */
async function rotateWebhookSecret({ secrets }: Trade): Promise<void> {
  const file = '/root/webhook-secret'
  rmSync(file, { force: true })
  const overlap = String(OVERLAP_SECONDS)
  await billhook('webhook', 'rotate', '--owner', OWNER, '--overlap', overlap, '--secret-file', file)
  const fresh = readFileSync(file, 'utf8').trim()
  secrets.webhooks = [fresh, secrets.webhook]
  // The shop is deployed later.
  await sleep((OVERLAP_SECONDS * 1000) / 2)
  secrets.webhook = fresh
  await sleep(OVERLAP_SECONDS * 1000)
  secrets.webhooks = [fresh]
}

/** The shop's key: the new one is registered before the old one is revoked. */
async function replaceKey(trade: Trade): Promise<void> {
  const fresh = testKey('operator: the next key')
  const { publicKeyHex: publicKey } = fresh
  const body = { owner: OWNER, label: 'till 2', publicKey, permissions: ['invoices:create'] }
  const registered = await admin('POST', '/api/api-keys', JSON.stringify(body))
  assert.equal(registered.status, 201, JSON.stringify(registered.json))
  const former = trade.secrets.key
  trade.secrets.key = fresh
  // What the shop has signed with the former one is answered first.
  await trade.sells(BUSY)
  const { json: keys } = await admin('GET', `/api/users/${OWNER}/api-keys`)
  const { id } = keys.find((one: { readonly public_key: string }) => one.public_key === former.publicKeyHex)
  const revoked = await admin('POST', `/api/api-keys/${id}/revoke`, JSON.stringify({ owner: OWNER }))
  assert.equal(revoked.status, 200, JSON.stringify(revoked.json))
}

/** The gateway's secret: for a while the service takes two. Requests during a restart get no answer, and are repeated. */
async function replaceGatewaySecret(trade: Trade): Promise<string> {
  trade.failures = []
  const fresh = randomBytes(32).toString('hex')
  writeFileSync(GATEWAY_SECRET, `${fresh},${trade.secrets.gateway}`)
  await unit.restart()
  await trade.sells(BUSY)
  trade.secrets.gateway = fresh
  await trade.sells(BUSY)
  writeFileSync(GATEWAY_SECRET, fresh)
  await unit.restart()
  await trade.sells(BUSY)
  assert.deepEqual(
    trade.failures.filter((failure) => !failure.includes(NO_ANSWER)),
    [],
  )
  assert.deepEqual(trade.rejected, [])
  return `two restarts; ${trade.failures.length} requests had no answer and were repeated, none was rejected`
}

async function fillDisk(trade: Trade, client: HttpsClient): Promise<string> {
  const readiness = () => client.ask({ method: 'GET', path: '/readyz' })
  trade.failures = []
  const filler = `${DISK}/filler`
  const { bavail, bsize } = statfsSync(DISK)
  writeFileSync(filler, Buffer.alloc(bavail * bsize - SPACE_LEFT_BYTES))
  await until('the disk is full', () => trade.failures.length >= REFUSALS_ENOUGH)
  const [sale] = trade.sales
  assert.equal((await admin('GET', `/api/invoices/${sale?.id}`)).status, 200)
  await until('it says so', async () => (await readiness()).json.code === 'storage_unavailable')
  const doctor = await run('bash', '-c', `billhook doctor --data ${DATA} || true`)
  rmSync(filler)
  await until('it is ready again', async () => (await readiness()).status === 200)
  await trade.sells(BUSY)
  assert.deepEqual(
    [...new Set(trade.failures.map((failure) => failure.replace(/^\S+: /, '')))],
    ['503 storage_unavailable'],
  )
  const disk = doctor.split('\n').find((line) => /space/i.test(line)) ?? ''
  return `${trade.failures.length} requests were refused (503 storage_unavailable), reads went on; doctor: ${disk.trim()}`
}

// --- After it ---------------------------------------------------------------------------------------------------------

async function readBooks(): Promise<Books> {
  const [invoices = '', deposits = '', keys = '', wallets = ''] = await Promise.all(
    ['invoices', 'deposits', 'keys', 'wallets'].map((kind) => billhook('export', kind)),
  )
  return { invoices, deposits, keys, wallets }
}

/** Every invoice and deposit that was acknowledged is there, and each paid status is what follows from what was sent. */
function audit(trade: Trade, books: Books): string {
  const records = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const invoices = new Map(records(books.invoices).map((one) => [one.id, one]))
  const hashes = new Set(records(books.deposits).map(({ txHash }) => txHash))
  const { sales, deposits } = trade
  for (const sale of sales) {
    const {
      payment,
      amount,
      created_at: createdAt,
    } = invoices.get(sale.id) ?? assert.fail(`invoice ${sale.id} is lost`)
    const sum = trade.receivedAfter(createdAt)
    assert.deepEqual([payment.received, payment.pending], [String(sum), '0'])
    assert.equal(payment.status, sum >= Number(amount) ? 'paid' : 'unpaid')
  }
  for (const { txHash } of deposits) assert.ok(hashes.has(txHash), `deposit ${txHash} is lost`)
  return `${sales.length} invoices and ${deposits.length} deposits of the shop are there, every paid status as it follows from them`
}

/** The machine is lost with its disk; the backup is put on another one. */
async function loseAndRestore(trade: Trade, backup: string, books: Books): Promise<string> {
  await unit.kill()
  await unit.stop()
  await run('umount', '--lazy', DISK)
  await mountDisk()
  const restored = (await billhook('restore', backup)).trim().split('\n').at(-1) ?? ''
  await unit.start()
  const after = await readBooks()
  for (const [kind, text] of Object.entries(books)) assert.ok(Reflect.get(after, kind) === text, `${kind} have changed`)
  audit(trade, after)
  const lines = Object.values(after).join('').trim().split('\n').length
  return `${restored} ${lines} lines of invoices, deposits, keys and wallets are byte for byte the same.`
}

async function day(file: string): Promise<void> {
  const certificates = ['first', 'second'].map((name) => {
    const files = makeCertificate('/root', name)
    const text = readFileSync(files.certificate, 'utf8')
    return { ...files, text, serial: new X509Certificate(text).serialNumber }
  })
  const [first] = certificates
  assert.ok(first)
  await step('Install the package', () => install(file))
  await step('Fill in the settings', fillIn)
  await putCertificate(first)
  await step('Upgrade data of version 0.1.0, and cut the power in the migration', cutInMigration)
  await step('Start again', upgrade)

  const texts = certificates.map(({ text }) => text)
  const client = new HttpsClient(PORT, texts)
  const wallet = walletOf('w1')
  const gateway = readFileSync(GATEWAY_SECRET, 'utf8').trim()
  const trade = await Trade.open(wallet, (asked) => client.ask(asked), {
    key: KEYS.active,
    gateway,
    webhook: '',
    webhooks: [],
  })
  await step('A shop with webhooks begins to sell', async () => {
    await billhook('webhook', 'set', trade.callbackUrl, '--owner', OWNER, '--secret-file', '/root/webhook-secret')
    trade.secrets.webhook = readFileSync('/root/webhook-secret', 'utf8').trim()
    trade.secrets.webhooks = [trade.secrets.webhook]
    trade.begin()
    await trade.sells(BUSY)
    return `${trade.deposits.length} invoices were sold and paid`
  })
  const quietly = (work: () => Promise<void>) => () => withoutFailure(trade, work)
  await step(
    `Back up ${BACKUPS_UNDER_LOAD} times`,
    quietly(() => backUp(trade)),
  )
  await step(
    `Replace and reload the certificate ${RELOADS} times`,
    quietly(() => reload(certificates)),
  )
  await step(
    'Replace the secret of the webhooks',
    quietly(() => rotateWebhookSecret(trade)),
  )
  await step(
    'Replace the API key',
    quietly(() => replaceKey(trade)),
  )
  await step('Replace the secret of the gateway', () => replaceGatewaySecret(trade))
  await step('Fill the disk, and free it', () => fillDisk(trade, client))

  await trade.pause()
  await trade.isTold()
  assert.deepEqual(trade.rejected, [])
  let books = await readBooks()
  await step('Close the shop', async () => {
    books = await readBooks()
    return `${audit(trade, books)}; ${trade.webhooks} webhooks, each with the signature of the secret of its time`
  })
  await step('Check, and back up', async () => {
    const checked = (await billhook('check')).trim()
    return `${checked} ${(await billhook('backup', `${BACKUPS}/last`)).trim()}`
  })
  await step('Lose the machine, and restore', () => loseAndRestore(trade, `${BACKUPS}/last`, books))
  await step('Check, and stop', async () => {
    const checked = (await billhook('check')).trim()
    await unit.stop()
    const ended = `${unit.property('Result')} ${unit.property('ExecMainStatus')}`
    assert.equal(ended, 'success 0')
    return `${checked} The service ended with ${ended}.`
  })
  client.close()
  await trade.close()
}

const [file] = process.argv.slice(2)
assert.ok(file !== undefined, 'the package is missing')
try {
  await day(file)
} catch (error) {
  tell(unit.troubles())
  throw error
}
