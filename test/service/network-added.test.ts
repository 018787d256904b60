import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anvilAbsence } from '../support/anvil.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { CONFIRMATIONS, paymentOf, until, WatchedChain } from './watched-chain.js'

/** Nobody listens there. */
const DEAD_URL = 'http://127.0.0.1:1'
const TRON_TOKEN = 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'

test('a network that is added later is read from its first wallet on, beside one whose node has never answered', {
  skip: anvilAbsence,
  timeout: 60_000,
}, async (t) => {
  const world = await WatchedChain.start(t)
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const tron = { BILLHOOK_TRX_NILE_URLS: DEAD_URL, BILLHOOK_TRX_NILE_TOKEN: TRON_TOKEN, BILLHOOK_LOG: 'fatal' }
  const before = await ServiceProcess.start(place.path, tron)
  t.after(() => before.end('SIGKILL'))
  const invoiceId = await world.openInvoice(before.url, '25')
  await world.pay(25n)
  await world.chain.mine(CONFIRMATIONS)
  assert.equal((await paymentOf(before.url, invoiceId))['received'], '0')
  await before.end('SIGTERM')

  const after = await ServiceProcess.start(place.path, { ...world.environment(), ...tron })
  t.after(() => after.end('SIGTERM'))
  await until(async () => (await paymentOf(after.url, invoiceId))['status'] === 'paid')
  const { degraded } = (await (await fetch(`${after.url}/readyz`)).json()) as { readonly degraded: readonly string[] }
  assert.deepEqual(degraded, ['TRX-NILE has not been read yet (/walletsolidity/getblockbynum: ECONNREFUSED).'])
})
