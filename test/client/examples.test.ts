import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { formatWithOptions } from 'node:util'
import * as client from '@billhook/client'
import { deliveryHeaders } from '../../src/webhooks/signature.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { examples, withoutImports } from './doc-examples.js'
import { merchantAt } from './merchant.js'

/*
 * Every public method, function and class of the client has a doc comment with an example, which is run here as it stands, each for a
 * merchant of its own. A comment behind `console.log(…)` is what it prints.
 */

const SECRET = '0123456789abcdef'.repeat(4)
const PRINTED = /console\.log\(.*\).*? \/\/ (.+)$/gm

describe('the example of', () => {
  let fixture: ServiceFixture
  before(async () => {
    fixture = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on' })
  })
  after(() => fixture.stop())

  for (const { name, program } of examples) {
    test(`${name} runs, and prints what it says`, async () => {
      const lines: string[] = []
      const names = { ...client, ...(await surroundings(fixture.url)), console: consoleOf(lines) }
      // In a block of its own, so that it can give names that are there another meaning.
      const run = new AsyncFunction(...Object.keys(names), `{${withoutImports(program)}}`)
      await run(...Object.values(names))
      const expected = [...program.matchAll(PRINTED)].map(([, printed]) => printed)
      assert.deepEqual(expected.length > 0 ? lines.slice(0, expected.length) : [], expected)
    })
  }

  test('no public method, function or class is missing', () => {
    const methods = Object.getOwnPropertyNames(client.Billhook.prototype).filter((name) => name !== 'constructor')
    const functions = Object.entries(client).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []))
    const expected = [...functions, ...methods.map((name) => `Billhook.${name}`)]
    assert.ok(expected.length > 40, String(expected.length))
    assert.deepEqual(examples.map(({ name }) => name).sort(), expected.sort())
  })
})

const AsyncFunction = (async () => {}).constructor as new (
  ...text: string[]
) => (...values: readonly unknown[]) => Promise<void>

/** A console that collects what Node would print. */
function consoleOf(lines: string[]) {
  return { log: (...values: unknown[]) => void lines.push(formatWithOptions({ breakLength: Infinity }, ...values)) }
}

/** What examples find there: a merchant with an unpaid invoice, and a webhook that somebody sent to it. */
async function surroundings(url: string) {
  const { billhook, identity, owner, wallet: walletId, privateKey } = await merchantAt(url)
  const { ledger } = await billhook.getInfo()
  const draft = { walletIds: [walletId], name: 'Tea set', amount: '25.00', currency: 'USDT' } as const
  const invoice = await billhook.createInvoice(draft)
  const rawBody = Buffer.from(JSON.stringify({ reference: 'order-1001', status: 'confirmed' }))
  const secrets = { current: SECRET, previous: null }
  const headers = deliveryHeaders({ id: 'a'.repeat(32), body: rawBody }, secrets, Date.now())
  return { url, billhook, identity, owner, privateKey, walletId, ledger, invoice, rawBody, headers, secret: SECRET }
}
