import { spawn } from 'node:child_process'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import secp256k1 from 'secp256k1'
import { loadEngine } from '../src/crypto/choose-engine.js'
import { say, startBenched } from './service-process.js'

/*
 * Signed, durable creations per second: the service in a process of its own, loaded by wrk (Debian package) on the same
 * machine with requests signed beforehand, beside the rate at which one thread verifies the same signatures with
 * libsecp256k1. The ratio of the two travels from machine to machine; the figures do not.
 *
 *     node dist/bench/signed-creates.js [seconds] [connections] [wallets] [keys]
 */

const SECRET = 'the gateway secret of a benchmark'
const ROUTE_TAG = 'POST /api/invoices'
const [seconds = 8, connections = 1024, walletCount = 5000, keyCount = 50] = process.argv.slice(2).map(Number)
/** More than can be created in the time: wrk starts again at the first when it runs out, and those would be refused. */
const requestCount = seconds * 30_000

interface Signer {
  readonly owner: string
  readonly secretKey: Uint8Array
  readonly publicKeyHex: string
}

const place = mkdtempSync(join(tmpdir(), 'billhook-bench-'))
try {
  await main()
} finally {
  rmSync(place, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const libsecp256k1PerSecond = await verifications()
  const signers = Array.from({ length: keyCount }, (_, n): Signer => {
    const secretKey = createHash('sha256').update(`bench key ${n}`).digest()
    const publicKeyHex = Buffer.from(publicKeyOf(secretKey)).toString('hex')
    return { owner: `owner-${n}`, secretKey, publicKeyHex }
  })
  const service = await startBenched(join(place, 'data'), { BILLHOOK_GATEWAY_SECRET: SECRET })
  const { url } = service
  await setUp(url, signers)
  const requests = join(place, 'requests')
  await writeRequests(requests, signers)
  const script = join(place, 'requests.lua')
  writeFileSync(script, luaScript(requests))
  const report = await wrk(['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, url])
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1])
  say(`${report}`)
  say(`libsecp256k1, one thread: ${Math.round(libsecp256k1PerSecond)} verifications/s`)
  say(`signed creations:         ${Math.round(perSecond)} /s`)
  say(`ratio:                    ${(perSecond / libsecp256k1PerSecond).toFixed(2)}`)
  await service.stop()
}

async function verifications(): Promise<number> {
  const engine = await loadEngine('libsecp256k1')
  const secretKey = createHash('sha256').update('bench').digest()
  const publicKey = publicKeyOf(secretKey)
  const digests = Array.from({ length: 256 }, (_, n) => createHash('sha256').update(`${n}`).digest())
  const signed = digests.map((digest) => ({ digest, der: derOf(digest, secretKey) }))
  const startedAt = process.hrtime.bigint()
  let count = 0
  while (process.hrtime.bigint() - startedAt < 2_000_000_000n) {
    for (const { digest, der } of signed) {
      if (!engine.verify(der, digest, publicKey)) throw new Error('a good signature was refused')
    }
    count += signed.length
  }
  return (count * 1e9) / Number(process.hrtime.bigint() - startedAt)
}

function publicKeyOf(secretKey: Uint8Array): Uint8Array {
  return secp256k1.publicKeyCreate(secretKey)
}

function derOf(digest: Uint8Array, secretKey: Uint8Array): Uint8Array {
  return secp256k1.signatureExport(secp256k1.ecdsaSign(digest, secretKey).signature)
}

async function setUp(url: string, signers: readonly Signer[]): Promise<void> {
  for (const signer of signers) {
    const body = {
      owner: signer.owner,
      label: 'bench',
      publicKey: signer.publicKeyHex,
      permissions: ['invoices:create'],
    }
    const response = await fetch(`${url}/api/api-keys`, { method: 'POST', body: JSON.stringify(body) })
    if (response.status !== 201) throw new Error(await response.text())
  }
  for (let from = 0; from < walletCount; from += 500) {
    const events = Array.from({ length: Math.min(500, walletCount - from) }, (_, i) => {
      const id = `wallet-${from + i}`
      const wallet = { id, address: `0x${randomBytes(20).toString('hex')}`, network: 'SEP' }
      return { id, type: 'wallet.assigned', wallet, owner: ownerOf(from + i) }
    })
    const body = JSON.stringify({ events })
    const timestamp = String(Date.now())
    const signature = createHmac('sha256', SECRET).update(`${timestamp}\n${body}`).digest('hex')
    const headers = { 'X-Gateway-Timestamp': timestamp, 'X-Gateway-Signature': signature }
    const response = await fetch(`${url}/internal/events`, { method: 'POST', body, headers })
    if (response.status !== 200) throw new Error(await response.text())
  }
}

function ownerOf(wallet: number): string {
  return `owner-${wallet % keyCount}`
}

/** Writes requests one behind the other, each preceded by its length in eight digits. */
async function writeRequests(path: string, signers: readonly Signer[]): Promise<void> {
  const file = createWriteStream(path)
  for (let n = 0; n < requestCount; n += 1) {
    const wallet = n % walletCount
    const signer = signers[wallet % keyCount]
    if (signer === undefined) throw new Error('no signer')
    const amount = `${Math.floor(n / walletCount) + 1}.${String(wallet).padStart(6, '0')}1`
    const body = JSON.stringify({
      walletIds: [`wallet-${wallet}`],
      name: `Order ${n}`,
      amount,
      currency: 'USDT',
      reference: `order-${n}`,
    })
    const timestamp = String(Date.now())
    const digest = createHash('sha256').update(`${ROUTE_TAG}\n${timestamp}\n${body}`).digest()
    const signature = Buffer.from(derOf(digest, signer.secretKey)).toString('base64')
    const request = [
      'POST /api/invoices HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      `X-Service-Api-Key: ${signer.publicKeyHex}`,
      `X-Service-Timestamp: ${timestamp}`,
      `X-Service-Signature: ${signature}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n')
    if (!file.write(`${String(request.length).padStart(8, '0')}${request}`)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}

function luaScript(path: string): string {
  return `
local requests, at = {}, 0
function init()
  local file = assert(io.open(${JSON.stringify(path)}, 'rb'))
  while true do
    local length = file:read(8)
    if not length then break end
    requests[#requests + 1] = file:read(tonumber(length))
  end
  file:close()
end
function request()
  at = at + 1
  if at > #requests then at = 1 end
  return requests[at]
end
`
}

async function wrk(argv: readonly string[]): Promise<string> {
  const child = spawn('wrk', argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  let report = ''
  child.stdout.on('data', (chunk: Buffer) => {
    report += chunk.toString()
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`wrk ended with ${code}; it is in Debian's package wrk`)
  return report
}
