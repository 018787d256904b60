import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DirectoryPorts, MailboxFull, WalletDirectory } from '../../src/actors/wallet-directory.js'
import { refuse, succeed } from '../../src/domain/failure.js'
import type { Invoice, InvoiceRequest } from '../../src/domain/invoice.js'
import type { DepositFact } from '../../src/domain/ledger-fact.js'
import { NO_ORDER_FIELDS } from '../../src/domain/order-fields.js'
import type { Wallet } from '../../src/domain/wallet.js'
import type { Settled, WalletCommand, WalletResult } from '../../src/store/commands.js'

/*
 * The actors against a store whose commits the test releases one by one, so that every interleaving here is a decision
 * of the test and not of the machine.
 */

interface Commit {
  readonly names: readonly string[]
  release(): void
  fail(error: Error): void
}

class ScriptedStore {
  readonly commits: Commit[] = []
  /** Names whose command throws in the store. */
  readonly poisoned = new Set<string>()
  /** Wallets that are not their requests' owner's. */
  readonly foreign = new Set<string>()
  private waiting: (() => void)[] = []

  readonly commands: DirectoryPorts['commands'] = {
    perform: (batch) => this.perform(batch),
    answerWithoutTurn: ({ request }) => {
      if (!request.walletIds.some((id) => this.foreign.has(id))) return null
      return { type: 'invoice', outcome: refuse('wallet_not_owned'), expiresAt: null, isReplay: false }
    },
    answerOrderWithoutTurn: ({ request }) => {
      if (!request.options.some(({ walletIds }) => walletIds.some((id) => this.foreign.has(id)))) return null
      return { type: 'order', outcome: refuse('wallet_not_owned'), isReplay: false }
    },
  }
  readonly orders: DirectoryPorts['orders'] = { findWithOptions: () => undefined }
  readonly invoices: DirectoryPorts['invoices'] = { find: () => undefined }
  readonly wallets: DirectoryPorts['wallets'] = {
    find: () => undefined,
    at: (_, address) =>
      address === '0xdd' ? { id: 'd', network: 'SEP', address, owner: 'owner', assignedAt: 1 } : undefined,
  }
  readonly chain: DirectoryPorts['chain'] = { addressesOf: () => [], depositsOf: () => [] }

  /** Resolves with the n-th commit once the store was asked for it. */
  async commit(n: number): Promise<Commit> {
    while (this.commits.length <= n) await new Promise<void>((resolve) => this.waiting.push(resolve))
    const commit = this.commits[n]
    assert.ok(commit)
    return commit
  }

  private perform(batch: readonly WalletCommand[]): Promise<readonly Settled<WalletResult>[]> {
    return new Promise((resolve, reject) => {
      this.commits.push({
        names: batch.map(nameOf),
        release: () => resolve(batch.map((command) => this.settle(command))),
        fail: reject,
      })
      for (const wake of this.waiting.splice(0)) wake()
    })
  }

  private settle(command: WalletCommand): Settled<WalletResult> {
    const name = nameOf(command)
    if (this.poisoned.has(name)) return { status: 'rejected', reason: new Error(`poison ${name}`) }
    if (command.type === 'chain') {
      return {
        status: 'fulfilled',
        value: { type: 'chain', outcome: { status: 'refused', reason: 'not_next' }, owed: [] },
      }
    }
    if (command.type === 'deposit') {
      return {
        status: 'fulfilled',
        value: { type: 'deposit', outcome: { status: 'duplicate', deposit: null }, owed: [] },
      }
    }
    return {
      status: 'fulfilled',
      value: { type: 'invoice', outcome: succeed({ id: name } as Invoice), expiresAt: null, isReplay: false },
    }
  }
}

function nameOf(command: WalletCommand): string {
  switch (command.type) {
    case 'invoice':
    case 'order':
      return command.request.name
    case 'void':
    case 'accept':
      return command.invoiceId
    case 'void-order':
    case 'accept-order':
      return command.orderId
    case 'deposit':
      return command.fact.sighting.txHash
    case 'chain':
      return command.step.type
  }
}

function wanted(name: string, ...walletIds: string[]): InvoiceRequest {
  return {
    owner: 'owner',
    walletIds,
    name,
    description: null,
    reference: null,
    amountText: '1',
    amount: 1n,
    currency: 'native',
    callbackUrl: null,
    isCallbackUrlValid: true,
    order: NO_ORDER_FIELDS,
    expiresInSeconds: null,
  }
}

function deposit(txHash: string, toAddress: string): { eventId: null; fact: DepositFact } {
  return {
    eventId: null,
    fact: {
      type: 'deposit',
      report: 'pending',
      sighting: { network: 'SEP', txHash, index: 0, toAddress, currency: null, amount: '1', receivedAt: 1 },
    },
  }
}

function setUp(bounds?: { mailboxCapacity: number; totalCapacity: number; turnLimit: number }) {
  const store = new ScriptedStore()
  return { store, directory: new WalletDirectory(store, bounds) }
}

describe('a wallet actor', () => {
  test('takes one turn at a time, and what gathers meanwhile goes into the next one together', async () => {
    const { store, directory } = setUp()
    const made = ['a', 'b', 'c', 'd'].map((name) => directory.createInvoice(wanted(name, 'w')))
    const first = await store.commit(0)
    assert.deepEqual(first.names, ['a'])
    assert.equal(store.commits.length, 1)
    first.release()
    const second = await store.commit(1)
    assert.deepEqual(second.names, ['b', 'c', 'd'])
    second.release()
    assert.deepEqual(
      (await Promise.all(made)).map(({ outcome }) => outcome.ok && outcome.value.id),
      ['a', 'b', 'c', 'd'],
    )
  })

  test('does not wait for other wallets', async () => {
    const { store, directory } = setUp()
    const slow = directory.createInvoice(wanted('slow', 'v'))
    const quick = directory.createInvoice(wanted('quick', 'w'))
    const [stuck, free] = [await store.commit(0), await store.commit(1)]
    assert.deepEqual([stuck.names, free.names], [['slow'], ['quick']])
    free.release()
    assert.ok((await quick).outcome.ok)
    stuck.release()
    assert.ok((await slow).outcome.ok)
  })

  test('takes at most the turn limit in one turn', async () => {
    const { store, directory } = setUp({ mailboxCapacity: 8, totalCapacity: 8, turnLimit: 2 })
    const made = ['a', 'b', 'c', 'd'].map((name) => directory.createInvoice(wanted(name, 'w')))
    for (const [n, names] of [['a'], ['b', 'c'], ['d']].entries()) {
      const commit = await store.commit(n)
      assert.deepEqual(commit.names, names)
      commit.release()
    }
    await Promise.all(made)
  })

  test('refuses what does not fit into its mailbox, and leaves the other mailboxes of the command alone', async () => {
    const { store, directory } = setUp({ mailboxCapacity: 2, totalCapacity: 9, turnLimit: 2 })
    const running = directory.createInvoice(wanted('running', 'hot'))
    const waiting = [1, 2].map((n) => directory.createInvoice(wanted(`waiting ${n}`, 'hot')))
    const { outcome: refused } = await directory.createInvoice(wanted('refused', 'cold', 'hot'))
    assert.equal(!refused.ok && refused.failure.code, 'overloaded')
    assert.equal(directory.size, 1)
    const other = directory.createInvoice(wanted('other', 'cold'))
    assert.deepEqual((await store.commit(1)).names, ['other'])
    for (const commit of store.commits) commit.release()
    ;(await store.commit(2)).release()
    for (const { outcome } of await Promise.all([running, other, ...waiting])) assert.ok(outcome.ok)
  })

  test('refuses what does not fit into the directory', async () => {
    const { store, directory } = setUp({ mailboxCapacity: 2, totalCapacity: 2, turnLimit: 1 })
    const made = ['a', 'b'].map((name) => directory.createInvoice(wanted(name, name)))
    const { outcome: refused } = await directory.createInvoice(wanted('c', 'c'))
    assert.equal(!refused.ok && refused.failure.code, 'overloaded')
    const [fate] = await directory.recordDeposits([deposit('tx', '0x1')])
    assert.ok(fate?.status === 'rejected' && fate.reason instanceof MailboxFull)
    for (const n of [0, 1]) (await store.commit(n)).release()
    await Promise.all(made)
  })

  test('a request for wallets of others is refused, takes no place in their mailboxes, and waits for nobody', async () => {
    const { store, directory } = setUp({ mailboxCapacity: 1, totalCapacity: 9, turnLimit: 1 })
    store.foreign.add('victim')
    for (let n = 0; n < 3; n += 1) {
      const { outcome } = await directory.createInvoice(wanted('named', 'own', 'victim'))
      assert.equal(!outcome.ok && outcome.failure.code, 'wallet_not_owned')
    }
    assert.equal(directory.size, 0)
    assert.equal(store.commits.length, 0)
    store.foreign.clear()
    const own = directory.createInvoice(wanted('own', 'victim'))
    ;(await store.commit(0)).release()
    assert.ok((await own).outcome.ok)
  })

  test('a wallet, an address and a network never share a mailbox, whatever the ids of wallets are', async () => {
    const { store, directory } = setUp({ mailboxCapacity: 1, totalCapacity: 99, turnLimit: 1 })
    const keys = ['chain,SEP', 'chain SEP', 'SEP', 'SEP:0xaa', 'address SEP 0xaa', 'SEP 0xaa', '0xaa', 'wallet d']
    // One under way and one behind it: every one of these mailboxes is full.
    const made = keys.flatMap((id) => [
      directory.createInvoice(wanted('a', id)),
      directory.createInvoice(wanted('b', id)),
    ])
    const step = directory.takeChainStep({ type: 'forget', network: 'SEP' })
    const deposits = Promise.all(
      [deposit('1', '0xaa'), deposit('2', '0xdd')].map((one) => directory.recordDeposits([one])),
    )
    for (let n = 0; n < made.length + 3; n += 1) (await store.commit(n)).release()
    assert.equal((await step).outcome.status, 'refused')
    assert.ok((await deposits).flat().every(({ status }) => status === 'fulfilled'))
    for (const { outcome } of await Promise.all(made)) assert.ok(outcome.ok)
  })

  test('is dropped when idle and made again on use', async () => {
    const { store, directory } = setUp()
    for (const n of [0, 1]) {
      const made = directory.createInvoice(wanted('a', 'v', 'w'))
      assert.equal(directory.size, 2)
      ;(await store.commit(n)).release()
      await made
      await directory.idle()
      assert.equal(directory.size, 0)
      assert.equal(directory.depth, 0)
    }
  })

  test('an address is looked up once for all deposits of a call, so that none changes its mailbox meanwhile', async () => {
    const store = new ScriptedStore()
    let looks = 0
    const at = async (): Promise<Wallet | undefined> => {
      looks += 1
      return looks === 1 ? undefined : { id: 'w', network: 'SEP', address: '0xaa', owner: null, assignedAt: null }
    }
    const { commands, invoices, orders, chain } = store
    const directory = new WalletDirectory({ commands, invoices, orders, chain, wallets: { ...store.wallets, at } })
    const fates = directory.recordDeposits([deposit('1', '0xAA'), deposit('2', '0xaa'), deposit('3', '0xAA')])
    const commit = await store.commit(0)
    assert.deepEqual([commit.names, directory.size, looks], [['1', '2', '3'], 1, 1])
    commit.release()
    assert.ok((await fates).every(({ status }) => status === 'fulfilled'))
  })
})

describe('the deposits of a call', () => {
  test('are recorded together in their order, whatever their addresses are', async () => {
    const { store, directory } = setUp()
    const fates = directory.recordDeposits([deposit('1', '0xAA'), deposit('2', '0xBB'), deposit('3', '0xaa')])
    const commit = await store.commit(0)
    assert.deepEqual(commit.names, ['1', '2', '3'])
    store.poisoned.add('2')
    commit.release()
    assert.deepEqual(
      (await fates).map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  })

  test('wait for all of their wallets, and none overtakes one whose wallet is busy', async () => {
    const { store, directory } = setUp()
    const busy = directory.createInvoice(wanted('busy', 'd'))
    const fates = directory.recordDeposits([deposit('1', '0xdd'), deposit('2', '0xbb')])
    const other = directory.recordDeposits([deposit('3', '0xcc')])
    ;(await store.commit(1)).release()
    await other
    assert.deepEqual(
      store.commits.map(({ names }) => names),
      [['busy'], ['3']],
    )
    store.commits[0]?.release()
    const commit = await store.commit(2)
    assert.deepEqual(commit.names, ['1', '2'])
    commit.release()
    assert.ok((await fates).every(({ status }) => status === 'fulfilled'))
    assert.ok((await busy).outcome.ok)
  })

  test('stay together in a turn, which takes as many calls as it has room for', async () => {
    const { store, directory } = setUp({ mailboxCapacity: 4, totalCapacity: 12, turnLimit: 3 })
    const calls = [['1', '2', '3', '4'], ['5', '6'], ['7', '8'], ['9']].map((names) =>
      directory.recordDeposits(names.map((name) => deposit(name, '0xaa'))),
    )
    await store.commit(0)
    assert.equal(directory.depth, 9)
    for (const [n, names] of [
      ['1', '2', '3', '4'],
      ['5', '6'],
      ['7', '8', '9'],
    ].entries()) {
      const commit = await store.commit(n)
      assert.deepEqual(commit.names, names)
      commit.release()
    }
    await Promise.all(calls)
    assert.equal(directory.depth, 0)
  })

  test('are refused together where one of their mailboxes is full, or the directory', async () => {
    const { store, directory } = setUp({ mailboxCapacity: 1, totalCapacity: 4, turnLimit: 1 })
    const made = ['running', 'waiting'].map((name) => directory.createInvoice(wanted(name, 'd')))
    for (const addresses of [
      ['0xbb', '0xdd', '0xcc'],
      ['0xbb', '0xcc', '0xee'],
    ]) {
      const fates = await directory.recordDeposits(addresses.map((address) => deposit(`to ${address}`, address)))
      assert.ok(fates.every((fate) => fate.status === 'rejected' && fate.reason instanceof MailboxFull))
    }
    assert.equal(directory.size, 1)
    for (const n of [0, 1]) (await store.commit(n)).release()
    await Promise.all(made)
  })
})

describe('supervision', () => {
  test('a command that throws is rejected alone, its neighbours are answered, and the actor goes on', async () => {
    const { store, directory } = setUp()
    store.poisoned.add('bad')
    const first = directory.createInvoice(wanted('first', 'w'))
    const made = ['good', 'bad', 'better'].map((name) => directory.createInvoice(wanted(name, 'w')))
    ;(await store.commit(0)).release()
    ;(await store.commit(1)).release()
    assert.deepEqual(
      (await Promise.allSettled([first, ...made])).map((fate) => fate.status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    )
    const after = directory.createInvoice(wanted('after', 'w'))
    ;(await store.commit(2)).release()
    assert.ok((await after).outcome.ok)
  })

  test('a result of another type than its command is a rejection', async () => {
    const { commands, invoices, orders, chain, wallets } = new ScriptedStore()
    const value = { type: 'void', outcome: refuse('overloaded') } as const
    const perform = async () => [{ status: 'fulfilled', value } as const]
    const directory = new WalletDirectory({ commands: { ...commands, perform }, invoices, orders, chain, wallets })
    await assert.rejects(directory.createInvoice(wanted('one', 'w')), /type invoice was answered as a void/)
  })

  test('a store that fails as a whole rejects every command of the turn, and the actor goes on', async () => {
    const { store, directory } = setUp()
    const lost = directory.createInvoice(wanted('lost', 'v', 'w'))
    const next = directory.createInvoice(wanted('next', 'w'))
    ;(await store.commit(0)).fail(new Error('disk'))
    await assert.rejects(lost, /disk/)
    ;(await store.commit(1)).release()
    assert.ok((await next).outcome.ok)
    await directory.idle()
    assert.equal(directory.size, 0)
  })
})

describe('a command on several wallets', () => {
  test('waits until it heads all of its mailboxes, and those behind it wait for it', async () => {
    const { store, directory } = setUp()
    const all = [
      directory.createInvoice(wanted('only v', 'v')),
      directory.createInvoice(wanted('both', 'w', 'v')),
      directory.createInvoice(wanted('only w', 'w')),
    ]
    assert.deepEqual((await store.commit(0)).names, ['only v'])
    assert.equal(store.commits.length, 1, 'w is free, but the command on both comes first')
    store.commits[0]?.release()
    const joint = await store.commit(1)
    assert.deepEqual(joint.names, ['both', 'only w'])
    joint.release()
    await Promise.all(all)
  })

  test('named in opposite orders does not deadlock', async () => {
    const { store, directory } = setUp()
    const blocker = directory.createInvoice(wanted('blocker', 'v'))
    const made = [
      directory.createInvoice(wanted('vw', 'v', 'w')),
      directory.createInvoice(wanted('wv', 'w', 'v')),
      directory.createInvoice(wanted('wu', 'w', 'u')),
      directory.createInvoice(wanted('uv', 'u', 'v')),
    ]
    ;(await store.commit(0)).release()
    const seen: string[] = []
    for (let n = 1; seen.length < made.length; n += 1) {
      const commit = await store.commit(n)
      seen.push(...commit.names)
      commit.release()
    }
    await Promise.all([blocker, ...made])
    assert.deepEqual(seen, ['vw', 'wv', 'wu', 'uv'])
  })

  test('a hot pair of wallets gathers into joint turns like a single wallet does', async () => {
    const { store, directory } = setUp()
    const made = Array.from({ length: 50 }, (_, n) =>
      directory.createInvoice(n % 2 === 0 ? wanted(`${n}`, 'v', 'w') : wanted(`${n}`, 'w', 'v')),
    )
    ;(await store.commit(0)).release()
    const rest = await store.commit(1)
    assert.equal(rest.names.length, 49)
    rest.release()
    await Promise.all(made)
  })

  test('takes in creations that share some of its wallets, as long as the others are free', async () => {
    const { store, directory } = setUp()
    const elsewhere = directory.createInvoice(wanted('elsewhere', 'z'))
    const first = directory.createInvoice(wanted('first', 'v'))
    const made = [
      directory.createInvoice(wanted('uv', 'u', 'v')),
      directory.createInvoice(wanted('vw', 'v', 'w')),
      directory.createInvoice(wanted('wx', 'w', 'x')),
      directory.createInvoice(wanted('xz', 'x', 'z')),
      directory.createInvoice(wanted('only x', 'x')),
    ]
    ;(await store.commit(1)).release()
    await first
    const joint = await store.commit(2)
    assert.deepEqual(joint.names, ['uv', 'vw', 'wx'], 'z is in another turn, and x is behind what waits for it')
    joint.release()
    store.commits[0]?.release()
    const last = await store.commit(3)
    assert.deepEqual(last.names, ['xz', 'only x'])
    last.release()
    await Promise.all([elsewhere, ...made])
    await directory.idle()
    assert.equal(directory.size, 0)
  })

  test('does not grow beyond the turn limit in wallets', async () => {
    const { store, directory } = setUp({ mailboxCapacity: 9, totalCapacity: 9, turnLimit: 3 })
    const first = directory.createInvoice(wanted('first', 'a'))
    const made = ['ab', 'bc', 'cd'].map((name) => directory.createInvoice(wanted(name, ...name)))
    ;(await store.commit(0)).release()
    await first
    const joint = await store.commit(1)
    assert.deepEqual(joint.names, ['ab', 'bc'])
    joint.release()
    ;(await store.commit(2)).release()
    await Promise.all(made)
  })

  test('takes creations on more wallets than an invoice may name only as far as they are on few together', async () => {
    const { store, directory } = setUp()
    const walletsOf = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`)
    const counts = [1, 250, 1, 250, 60, 60, 60, 60, 50, 60]
    const made = counts.map((count, n) => directory.createInvoice(wanted(`${n}: ${count}`, ...walletsOf(count))))
    const turns = [['0: 1'], ['1: 250', '2: 1'], ['3: 250'], ['4: 60', '5: 60', '6: 60', '7: 60', '8: 50'], ['9: 60']]
    for (const [n, names] of turns.entries()) {
      const commit = await store.commit(n)
      assert.deepEqual(commit.names, names)
      commit.release()
    }
    await Promise.all(made)
  })

  test('makes no creation wait for deposits to other wallets, and no deposit for creations on others', async () => {
    const { store, directory } = setUp()
    const made = [directory.createInvoice(wanted('running', 'd'))]
    made.push(directory.createInvoice(wanted('joins', 'd', 'e')))
    const fates = directory.recordDeposits([deposit('1', '0xdd'), deposit('2', '0xbb')])
    // The wallets of deposits are looked up first.
    await new Promise((resolve) => setImmediate(resolve))
    made.push(directory.createInvoice(wanted('behind', 'd', 'f')))
    for (const [n, names] of [['running'], ['joins'], ['1', '2'], ['behind']].entries()) {
      const commit = await store.commit(n)
      assert.deepEqual(commit.names, names)
      commit.release()
    }
    await Promise.all([fates, ...made])
  })

  test('never shares a wallet with another turn under way, over random interleavings', async () => {
    const wallets = ['a', 'b', 'c', 'd']
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = generator(seed)
      const { store, directory } = setUp()
      const names = new Map<string, readonly string[]>()
      const made: Promise<unknown>[] = []
      const busy = new Set<string>()
      const order = new Map<string, string[]>()
      let answered = 0
      const releaseOne = async (n: number) => {
        const commit = await store.commit(n)
        const touched = new Set(commit.names.flatMap((name) => names.get(name) ?? []))
        for (const wallet of touched) busy.delete(wallet)
        answered += commit.names.length
        commit.release()
        // The answers and the turns that they make possible follow in microtasks.
        await new Promise((resolve) => setImmediate(resolve))
        enter()
      }
      let entered = 0
      const enter = () => {
        for (; entered < store.commits.length; entered += 1) {
          const commit = store.commits[entered]
          const touched = new Set((commit?.names ?? []).flatMap((name) => names.get(name) ?? []))
          for (const wallet of touched) {
            assert.ok(!busy.has(wallet), `seed ${seed}: two turns on ${wallet}`)
            busy.add(wallet)
          }
          for (const name of commit?.names ?? []) {
            for (const wallet of names.get(name) ?? []) order.set(wallet, [...(order.get(wallet) ?? []), name])
          }
        }
      }
      let released = 0
      for (let n = 0; n < 40; n += 1) {
        const some = wallets.filter(() => random() < 0.4).sort(() => random() - 0.5)
        const chosen = some.length > 0 ? some : ['a']
        names.set(`${n}`, chosen)
        made.push(directory.createInvoice(wanted(`${n}`, ...chosen)))
        enter()
        if (random() < 0.3 && released < store.commits.length) await releaseOne(released++)
      }
      while (answered < 40) await releaseOne(released++)
      await Promise.all(made)
      for (const [wallet, done] of order) {
        const sent = [...names].filter(([, ids]) => ids.includes(wallet)).map(([name]) => name)
        assert.deepEqual(done, sent, `seed ${seed}: order on ${wallet}`)
      }
    }
  })
})

/** mulberry32 */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
