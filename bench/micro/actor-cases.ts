import { type DirectoryPorts, WalletDirectory } from '../../src/actors/wallet-directory.js'
import { succeed } from '../../src/domain/failure.js'
import { type Invoice, type InvoiceRequest, parseInvoiceRequest } from '../../src/domain/invoice.js'
import type { Settled, WalletResult } from '../../src/store/commands.js'
import type { Case } from './case.js'
import { draft } from './signed-messages.js'

/** The maximum of one turn. */
const GATHERED = 256

/** The cost of a mailbox and its turns when the store answers at once. Rejects when an answer is wrong. */
export async function actorCases(): Promise<readonly Case[]> {
  const commands: DirectoryPorts['commands'] = {
    perform: async (batch) => batch.map((command) => answerTo(command.type === 'invoice' ? command.request.name : '')),
    answerWithoutTurn: () => null,
    answerOrderWithoutTurn: () => null,
  }
  const directory = new WalletDirectory({
    commands,
    invoices: { find: () => undefined },
    orders: { findWithOptions: () => undefined },
    wallets: { find: () => undefined, at: () => undefined },
    chain: { addressesOf: () => [], depositsOf: () => [] },
  })
  const requests = Array.from({ length: GATHERED }, (_, n) => request(n))
  const [first] = requests
  if (first === undefined) throw new Error('there are no requests')
  const create = (all: readonly InvoiceRequest[]) => Promise.all(all.map((one) => directory.createInvoice(one)))
  for (const [i, { outcome }] of (await create(requests)).entries()) {
    if (!outcome.ok || outcome.value.name !== requests[i]?.name) throw new Error('a command got another one’s answer')
  }
  return [
    {
      measurement: {
        group: 'micro',
        name: 'a turn of a wallet with one command',
        unit: 'µs',
        note: 'into the mailbox and out, the store answering at once',
      },
      task: () => directory.createInvoice(first),
      perTask: 1,
    },
    {
      measurement: {
        group: 'micro',
        name: `a command among ${GATHERED} that came together`,
        unit: 'µs',
        note: 'for each of them, on one wallet, the store answering at once',
      },
      task: () => create(requests),
      perTask: GATHERED,
    },
  ]
}

function answerTo(name: string): Settled<WalletResult> {
  const outcome = succeed({ id: '', name } as Invoice)
  return { status: 'fulfilled', value: { type: 'invoice', outcome, expiresAt: null, isReplay: false } }
}

function request(n: number): InvoiceRequest {
  const parsed = parseInvoiceRequest(draft(n), 'owner')
  if (!parsed.ok) throw new Error(parsed.failure.message)
  return parsed.value
}
