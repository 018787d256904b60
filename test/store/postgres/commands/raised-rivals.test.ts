import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { InvoiceCommand, OrderCommand } from '../../../../src/store/commands.js'
import { amountName } from '../../../../src/store/postgres/commands/names.js'
import { placesToRaise, wantedBy } from '../../../../src/store/postgres/commands/raised-rivals.js'

const OWNER = 'owner'
const WALLET = 'wallet-1'

interface Asked {
  readonly amount: bigint
  readonly highest?: bigint
  readonly walletId?: string
}

/** An order with an option of each amount, in USDT; one without `highest` is fixed. */
function order(...options: readonly Asked[]): OrderCommand {
  return {
    type: 'order',
    request: {
      owner: OWNER,
      price: { amount: '1', currency: 'EUR' },
      options: options.map(({ walletId = WALLET }) => ({ walletIds: [walletId], currency: 'USDT', fixedAmount: null })),
      name: 'Order',
      description: null,
      reference: null,
      fields: { returnUrl: null, orderNumber: null, metadata: null },
      callbackUrl: null,
      isCallbackUrlValid: true,
      expiresInSeconds: 900,
    },
    quotes: options.map(({ amount, highest }) => ({
      ok: true,
      value: {
        amount,
        amountText: String(amount),
        highest: highest ?? amount,
        decimals: 18,
        rate: null,
        isFixed: highest === undefined,
      },
    })),
  }
}

function invoice(amount: bigint): InvoiceCommand {
  const [[request] = []] = wantedBy(order({ amount }))
  if (request === undefined) throw new Error('an order has no option')
  return { type: 'invoice', request }
}

/** The amounts of each creation that may have to be raised. */
function raised(batch: readonly (InvoiceCommand | OrderCommand)[], unpaid: readonly bigint[] = []): bigint[][] {
  const amounts = new Set(unpaid.map((amount) => amountName(WALLET, OWNER, 'USDT', amount)))
  return placesToRaise(batch.map(wantedBy), amounts).map((places) => places.map(({ amount }) => amount))
}

describe('the amounts of new orders that may have to be raised', () => {
  const cases: readonly [string, bigint[][], bigint[][]][] = [
    ['none where nothing is asked', raised([order({ amount: 100n, highest: 105n })]), []],
    ['one that an unpaid invoice asks', raised([order({ amount: 100n, highest: 105n })], [100n]), [[100n]]],
    ['none that is asked above it only', raised([order({ amount: 100n, highest: 105n })], [101n]), []],
    ['none that is fixed', raised([order({ amount: 100n })], [100n]), []],
    [
      'one that an invoice before it in the batch asks',
      raised([invoice(100n), order({ amount: 100n, highest: 105n })]),
      [[100n]],
    ],
    ['none that an invoice behind it asks', raised([order({ amount: 100n, highest: 105n }), invoice(100n)]), []],
    [
      'none within the reach of an order that raises nothing',
      raised([order({ amount: 100n, highest: 105n }), order({ amount: 103n, highest: 108n })]),
      [],
    ],
    [
      'one to which an order before it may have been raised',
      raised(
        [
          order({ amount: 100n, highest: 105n }),
          order({ amount: 105n, highest: 110n }),
          order({ amount: 110n, highest: 115n }),
        ],
        [100n],
      ),
      [[100n], [105n], [110n]],
    ],
    [
      'the option alone that is met, of an order of several',
      raised([order({ amount: 100n, highest: 105n }, { amount: 100n, highest: 105n, walletId: 'wallet-2' })], [100n]),
      [[100n]],
    ],
  ]
  for (const [name, found, expected] of cases) test(name, () => assert.deepEqual(found, expected))

  test('share the steps with all options of their order that may be raised', () => {
    const options = Array.from({ length: 8 }, (_, i) => ({ amount: 100n, highest: 105n, walletId: `wallet-${i}` }))
    const [[place] = []] = placesToRaise(
      [wantedBy(order(...options))],
      new Set([amountName(WALLET, OWNER, 'USDT', 100n)]),
    )
    assert.equal(place?.steps, 500)
  })

  test('may be asked by those before it in the batch and by other options of its order, where they overlap', () => {
    const batch = [
      invoice(102n),
      invoice(200n),
      order({ amount: 100n, highest: 105n }),
      order({ amount: 100n, highest: 105n }, { amount: 104n, highest: 109n }),
      invoice(103n),
    ]
    const places = placesToRaise(batch.map(wantedBy), new Set([amountName(WALLET, OWNER, 'USDT', 100n)]))
    assert.deepEqual(
      places.map((own) => own.map(({ others }) => others)),
      [[1], [3, 2]],
    )
  })
})
