import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { RATE_REFUSALS, readRateSet } from '../../src/domain/rate-set.js'
import { RateFile } from '../../src/rates/rate-file.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { openReceiver } from '../support/receiver.js'
import { gatewayHeaders, ServiceFixture } from '../support/service-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const run = promisify(execFile)
const page = readFileSync(join(projectRoot, 'docs/rates.md'), 'utf8')

/** The only block of the page in a language. */
function block(language: string): string {
  const [, text, ...others] = page.split(new RegExp(`^\`\`\`${language}\n`, 'm'))
  assert.equal(others.length, 0)
  return text?.split('```')[0] ?? assert.fail(`no block in ${language}`)
}

/** As the public source answers: prices are numbers, and `last_updated_at` seconds. */
function answerOf(nowMs: number, change: Readonly<Record<string, unknown>> = {}): string {
  const at = Math.floor(nowMs / 1000) - 20
  const given: Record<string, unknown> = {
    ethereum: { eur: 2950.1, usd: 3206, last_updated_at: at },
    tether: { eur: 0.92, usd: 1.0003, last_updated_at: at - 30 },
    tron: { eur: 2.511e-7, usd: 0.2729, last_updated_at: at },
    'usd-coin': { eur: 0.9199999, usd: 1, last_updated_at: at },
    ...change,
  }
  // In exponents, as some servers write small numbers.
  return JSON.stringify(given)
}

describe('the program of docs/rates.md', { skip: missingPrograms('python3') }, () => {
  const program = async (
    t: TestContext,
    answer: (nowMs: number) => { readonly status?: number; readonly body: string },
  ) => {
    const source = await openReceiver((_, response) => {
      const { status = 200, body } = answer(Date.now())
      response.writeHead(status).end(body)
    })
    t.after(() => source.close())
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const script = join(place.path, 'billhook-rates')
    writeFileSync(script, block('python'))
    const path = join(place.path, 'rates.json')
    const start = () => run('python3', [script, `${source.url}/api/v3/simple/price`, path])
    return { path, start, source }
  }

  test('is ten lines', () => {
    assert.equal(block('python').trim().split('\n').length, 10)
  })

  test('asks once for all coins, and writes a file that is read as a set', async (t) => {
    const { path, start, source } = await program(t, (nowMs) => ({ body: answerOf(nowMs) }))
    await start()
    const query = 'ids=tether,usd-coin,ethereum,tron&vs_currencies=eur,usd&include_last_updated_at=true'
    assert.deepEqual(
      source.requests.map(({ path: asked }) => asked),
      [`/api/v3/simple/price?${query}`],
    )
    const read = await new RateFile(path).read()
    assert.ok(read.ok, JSON.stringify(read))
    assert.deepEqual(
      read.set.rates.map(({ currency, coin, rate }) => [currency, coin, rate].join(' ')),
      [
        ...['EUR ETH 2950.1', 'EUR TRX 0.0000002511', 'EUR USDC 0.9199999', 'EUR USDT 0.92'],
        ...['USD ETH 3206', 'USD TRX 0.2729', 'USD USDC 1', 'USD USDT 1.0003'],
      ],
    )
    assert.ok(Math.abs(read.set.at - Date.now()) < 60_000 && read.set.at <= Date.now())
  })

  test('leaves the file as it is when the source fails, answers a page, leaves a coin out or stands still', async (t) => {
    const bad: readonly ((nowMs: number) => { readonly status?: number; readonly body: string })[] = [
      () => ({ status: 500, body: '{}' }),
      () => ({ status: 429, body: answerOf(Date.now()) }),
      () => ({ body: '<!doctype html><title>Just a moment</title>' }),
      () => ({ body: '' }),
      (nowMs) => ({ body: answerOf(nowMs, { tron: undefined }) }),
      (nowMs) => ({ body: answerOf(nowMs, { tron: { usd: 1, last_updated_at: nowMs / 1000 } }) }),
      (nowMs) => ({ body: answerOf(nowMs, { tron: { eur: null, usd: 1, last_updated_at: nowMs / 1000 } }) }),
      (nowMs) => ({ body: answerOf(nowMs - 301_000) }),
      (nowMs) => ({ body: answerOf(nowMs).slice(0, -9) }),
    ]
    for (const answer of bad) {
      const { path, start } = await program(t, answer)
      writeFileSync(path, 'as before')
      await assert.rejects(start(), String(answer))
      assert.equal(readFileSync(path, 'utf8'), 'as before', String(answer))
    }
    const { path, start } = await program(t, () => ({ body: 'x' }))
    await assert.rejects(start())
    assert.equal(existsSync(path), false)
  })
})

test('the set of docs/rates.md is one, and the table names every reason', () => {
  assert.ok(readRateSet(block('json')).ok)
  const [, told = ''] = page.split('| `reason` | The set |')
  for (const reason of RATE_REFUSALS) assert.ok(told.includes(`\`${reason}\``), reason)
})

test('the push of docs/rates.md is taken', { skip: missingPrograms('bash', 'curl', 'openssl') }, async (t) => {
  const BILLHOOK_GATEWAY_SECRET = '0123456789abcdef0123456789abcdef'
  const fixture = await ServiceFixture.start({ BILLHOOK_RATES: 'push', BILLHOOK_GATEWAY_SECRET })
  t.after(() => fixture.stop())
  const env = { ...process.env, BASE_URL: fixture.url, BILLHOOK_GATEWAY_SECRET }
  const { stdout } = await run('bash', ['-euc', block('sh')], { env })
  assert.equal(JSON.parse(stdout).status, 'accepted', stdout)
  assert.deepEqual((await fixture.get('/api/rates')).json.rates, { EUR: { ETH: '2950.10', USDT: '0.92' } })
  const body = setOfHeaders()
  assert.equal((await fixture.post('/internal/rates', body, gatewayHeaders(String(Date.now()), body))).status, 401)
})

function setOfHeaders(): string {
  return JSON.stringify({ at: Date.now(), rates: { EUR: { USDT: '1' } } })
}
