/**
 * The complete path on a real Ethereum node: `npm run demo:network`.
 *
 * Starts anvil (a real node with a chain of its own), a webhook receiver, and Billhook, which is not a sandbox and
 * watches the node. An invoice is paid by a transfer of an ERC-20 token, a reorganisation takes another payment away,
 * and the payment counts again when a later block includes it. At the end it stops everything that it started, and
 * exits with 0 if all was as expected, else with 1 and the reason.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anvilAbsence } from '../test/support/anvil.js'
import { EthereumChain } from '../test/support/ethereum-chain.js'
import { Demonstration, eventually } from './real-network-parts.js'

const CONFIRMATIONS = 3
const OWNER = 'a-merchant'
/** Not the payer's. The demonstration needs no key for it. */
const WALLET = { id: 'wallet-1', address: '0x1111111111111111111111111111111111111111', network: 'SEP' }
/** USDT has 6 decimals. */
const USDT = 10n ** 6n

if (anvilAbsence !== false) {
  process.stderr.write(`real-network: ${anvilAbsence}\n`)
  process.exit(1)
}
const demonstration = new Demonstration()
try {
  await play(demonstration)
  await demonstration.end()
  demonstration.say('\nEverything was as expected.')
} catch (error) {
  process.stderr.write(`${demonstration.logOfService()}real-network: ${String(error)}\n`)
  process.exitCode = 1
} finally {
  await demonstration.end()
}

async function play(show: Demonstration): Promise<void> {
  show.step('A real node, and a token on its chain')
  const chain = show.endLater(await EthereumChain.start())
  const token = await chain.deployToken()
  show.say(`node ${chain.node.url}, token ${token}, block ${await chain.height()}`)

  show.step('Billhook watches the chain')
  const secretFile = join(show.directory, 'secret')
  const receiver = await show.startReceiver(secretFile)
  const billhook = await show.startService({
    BILLHOOK_SEP_URLS: chain.node.url,
    BILLHOOK_SEP_TOKEN: token,
    BILLHOOK_SEP_CONFIRMATIONS: String(CONFIRMATIONS),
    BILLHOOK_SEP_POLL_MS: '100',
  })
  show.say(`Billhook ${billhook.url}, receiver ${receiver.url}`)
  await eventually('Billhook is ready', async () => (await billhook.get('/readyz')).status === 'ready')

  show.step('The gateway reports a merchant and assigns a wallet')
  const { results } = await billhook.push([
    { id: '1', type: 'identity.onboarded', identity: OWNER },
    { id: '2', type: 'wallet.created', wallet: WALLET },
    { id: '3', type: 'wallet.assigned', wallet: { id: WALLET.id }, owner: OWNER },
  ])
  assert.deepEqual(
    results,
    ['1', '2', '3'].map((id) => ({ id, status: 'applied' })),
  )
  await billhook.registerKey(OWNER)
  const { secret } = await billhook.send('PUT', `/api/users/${OWNER}/webhook`, { callbackUrl: receiver.url })
  writeFileSync(secretFile, String(secret))

  /** Transfers the token to the wallet of the invoice; returns the transaction hash. */
  const pay = (amount: bigint) => chain.sendCall(token, 'transfer(address,uint256)', [WALLET.address, amount * USDT])
  const mine = async (blocks = 1) => {
    await chain.mine(blocks)
    show.say(`${blocks} block${blocks === 1 ? '' : 's'} mined; the chain is at ${await chain.height()}`)
  }
  const create = async (name: string, amount: string, reference: string) => {
    const created = await billhook.createInvoice({ walletIds: [WALLET.id], name, amount, currency: 'USDT', reference })
    show.say(`invoice ${created.id} of ${amount} USDT, page ${billhook.url}${created.url}`)
    /** Waits until the API and the page show this state. */
    return async (status: string, pending: string, page: string) => {
      await eventually(`the invoice is ${status} with ${pending} pending`, async () => {
        const { payment } = await billhook.get(`/api/invoices/${created.id}`)
        return payment?.status === status && payment.pending === pending
      })
      assert.equal(await billhook.pageStatus(String(created.url)), page)
      show.say(`the invoice is ${status}, pending ${pending}; its page says: ${page}`)
    }
  }

  show.step('An invoice')
  const teaSet = await create('Tea set', '25.00', 'order-1')
  await teaSet('unpaid', '0', 'No payment seen yet')

  show.step('It is paid by a transfer of the token')
  const paid = await pay(25n)
  show.say(`transaction ${paid}`)
  await mine()
  await receiver.verified('pending', paid)
  await teaSet('unpaid', '25', '25 USDT seen, nothing more to send')

  show.step(`${CONFIRMATIONS} blocks, its own included, confirm it`)
  await mine(CONFIRMATIONS - 1)
  await receiver.verified('confirmed', paid)
  await teaSet('paid', '0', 'Paid. Nothing more is due.')

  show.step('A second invoice, and a payment that a reorganisation takes away')
  const kettle = await create('Kettle', '30.00', 'order-2')
  const moved = await pay(30n)
  await mine()
  await receiver.verified('pending', moved)
  await kettle('unpaid', '30', '30 USDT seen, nothing more to send')
  const signed = await chain.node.call('eth_getRawTransactionByHash', moved)
  await chain.node.call('anvil_reorg', 1, [])
  // After a reorganisation Anvil's clock is behind, and a payment counts by the time of its block.
  await chain.node.call('evm_setNextBlockTimestamp', Math.ceil(Date.now() / 1000))
  show.say(`the last block was replaced by one without transaction ${moved}`)
  await mine()
  await kettle('unpaid', '0', 'No payment seen yet')
  await teaSet('paid', '0', 'Paid. Nothing more is due.')
  assert.match(show.logOfService(), /"network":"SEP".*"blocks were replaced"/)

  show.step('A later block includes the payment again')
  assert.equal(await chain.node.call('eth_sendRawTransaction', signed), moved)
  await mine()
  await kettle('unpaid', '30', '30 USDT seen, nothing more to send')
  await mine(CONFIRMATIONS - 1)
  await receiver.verified('confirmed', moved)
  await kettle('paid', '0', 'Paid. Nothing more is due.')

  show.step('The receiver was notified once of each')
  assert.deepEqual(receiver.heard(), [
    `verified pending ${paid}`,
    `verified confirmed ${paid}`,
    `verified pending ${moved}`,
    `verified confirmed ${moved}`,
  ])
  for (const line of receiver.heard()) show.say(line)
  assert.deepEqual(await billhook.end(), { code: 0, signal: null })
}
