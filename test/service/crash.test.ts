import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayHeaders } from '../support/service-fixture.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const ROUNDS = 20
const WALLETS = 8
const SENDERS = 32
/** Answers after which a round's process is killed, at the least; the moment itself differs from round to round. */
const ANSWERS_PER_ROUND = 100

interface Acknowledged {
  readonly invoices: string[]
  readonly deposits: string[]
}

/**
 * Kills the real process with SIGKILL while clients create invoices and the gateway pushes deposits, and starts it again
 * on the same directory. What was acknowledged is there.
 */
test(`everything acknowledged is there after kill -9 under load, ${ROUNDS} rounds`, { timeout: 300_000 }, async () => {
  const place = temporaryDirectory()
  const acknowledged: Acknowledged = { invoices: [], deposits: [] }
  let amount = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const service = await ServiceProcess.start(place.path)
    if (round === 0) await setUpWallets(service.url)
    await assertThere(service.url, acknowledged)
    const enough = acknowledged.invoices.length + ANSWERS_PER_ROUND + 7 * round
    let isOver = false
    const senders = Array.from({ length: SENDERS }, async (_sender, n) => {
      while (!isOver) {
        amount += 1
        const answered =
          n % 8 === 0 ? pushDeposit(service.url, amount) : createInvoice(service.url, n % WALLETS, amount)
        const done = await answered.catch(() => null)
        if (done === null) return
        acknowledged[done.kind].push(done.id)
        if (acknowledged.invoices.length >= enough && !isOver) {
          isOver = true
          service.child.kill('SIGKILL')
        }
      }
    })
    await Promise.all(senders)
    assert.ok(isOver, 'the service died before it was killed')
  }
  const service = await ServiceProcess.start(place.path)
  await assertThere(service.url, acknowledged)
  assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
  assert.ok(acknowledged.invoices.length >= ROUNDS * ANSWERS_PER_ROUND)
  assert.ok(acknowledged.deposits.length > 0)
  place.remove()
})

async function setUpWallets(url: string): Promise<void> {
  const events = Array.from({ length: WALLETS }, (_, n) => [
    { id: `c${n}`, type: 'wallet.created', wallet: { id: `w${n}`, address: `0x${n}`, network: 'SEP' } },
    { id: `a${n}`, type: 'wallet.assigned', wallet: { id: `w${n}` }, owner: 'shop' },
  ])
  const results = await push(url, events.flat())
  for (const result of results) assert.equal(result.status, 'applied')
}

async function push(url: string, events: readonly unknown[]): Promise<{ status: string }[]> {
  const body = JSON.stringify({ events })
  const headers = gatewayHeaders(String(Date.now()), body)
  const response = await fetch(`${url}/internal/events`, { method: 'POST', body, headers })
  assert.equal(response.status, 200)
  return ((await response.json()) as { results: { status: string }[] }).results
}

async function createInvoice(url: string, wallet: number, amount: number) {
  const body = JSON.stringify({
    owner: 'shop',
    walletIds: [`w${wallet}`],
    name: 'Order',
    amount: `${amount}.5`,
    reference: `r${amount}`,
  })
  const response = await fetch(`${url}/api/invoices`, { method: 'POST', body })
  assert.equal(response.status, 201)
  const { id } = (await response.json()) as { id: string }
  return { kind: 'invoices' as const, id }
}

/** Deposits of whole native coins, too early to pay any invoice, to one address. */
async function pushDeposit(url: string, n: number) {
  const deposit = {
    network: 'SEP',
    txHash: `tx${n}`,
    toAddress: '0x0',
    currency: null,
    amount: '1',
    receivedAt: 1000 + n,
  }
  const [result] = await push(url, [{ id: `d${n}`, type: 'deposit.confirmed', deposit }])
  assert.equal(result?.status, 'applied')
  return { kind: 'deposits' as const, id: `d${n}` }
}

/** Every invoice that was acknowledged is listed, and every deposit is known: pushed again it is a duplicate. */
async function assertThere(url: string, { invoices, deposits }: Acknowledged): Promise<void> {
  const response = await fetch(`${url}/api/users/shop/invoices`)
  const listed = new Set(((await response.json()) as { id: string }[]).map((invoice) => invoice.id))
  for (const id of invoices) assert.ok(listed.has(id), `invoice ${id} is lost`)
  for (let at = 0; at < deposits.length; at += 1000) {
    const events = deposits.slice(at, at + 1000).map((id) => ({
      id,
      type: 'deposit.confirmed',
      deposit: {
        network: 'SEP',
        txHash: `tx${id.slice(1)}`,
        toAddress: '0x0',
        currency: null,
        amount: '1',
        receivedAt: 1,
      },
    }))
    for (const [i, result] of (await push(url, events)).entries()) {
      assert.equal(result.status, 'duplicate', `deposit ${deposits[at + i]} is lost`)
    }
  }
}
