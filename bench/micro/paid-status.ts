import { join } from 'node:path'
import { formatAmount } from '../../src/domain/amount.js'
import { COMMANDS_AT_ONCE, Histories } from '../histories.js'
import type { Measurement } from '../results.js'
import { type Effort, measure } from './case.js'
import { functionCase } from './function-case.js'

/** Invoices of a wallet, evenly over its deposits. */
const INVOICES = 100
/** The amount of each deposit is 0.000001. */
const DEPOSIT_ATOMS = 10n ** 12n

/** An invoice and its received amount. */
interface Expected {
  readonly id: string
  readonly received: string
}

/** Measures how long the store takes to compute a payment, by deposits of the wallet. Sizes are multiples of 100. */
export async function paidStatus(
  effort: Effort,
  directory: string,
  sizes: readonly number[],
): Promise<readonly Measurement[]> {
  const commands = sizes.reduce((sum, size) => sum + size + INVOICES, 0)
  const histories = await Histories.open(join(directory, 'paid-status'), commands)
  try {
    const cases = []
    for (const size of sizes) {
      const inputs = await fill(histories, size)
      cases.push(
        functionCase({
          name: 'paid status, store only',
          place: { group: 'history', x: size },
          inputs,
          run: ({ id }) => histories.page(nameOf(size), id),
          isRight: (found, { received }) => found?.payment.received === received,
          note: `a page of one of ${INVOICES} invoices throughout that many deposits`,
        }),
      )
    }
    return await measure(cases, effort)
  } finally {
    await histories.close()
  }
}

function nameOf(size: number): string {
  return `paid-${size}`
}

/** Creates a wallet with `size` deposits and an invoice before each hundredth of them. */
async function fill(histories: Histories, size: number): Promise<readonly Expected[]> {
  const name = nameOf(size)
  const share = size / INVOICES
  await histories.addWallet(name)
  const expected: Expected[] = []
  for (let n = 0; n < INVOICES; n += 1) {
    const [id = ''] = await histories.perform(histories.creations(name, 0, 1))
    for (let left = share; left > 0; left -= COMMANDS_AT_ONCE) {
      await histories.perform(histories.deposits(name, Math.min(left, COMMANDS_AT_ONCE)))
    }
    expected.push({ id, received: formatAmount(BigInt(size - n * share) * DEPOSIT_ATOMS) })
  }
  return expected
}
