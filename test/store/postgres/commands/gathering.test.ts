import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Gathering } from '../../../../src/store/postgres/commands/gathering.js'
import { StorageUnavailable } from '../../../../src/store/refusals.js'

/** A transaction that the test ends. */
class Transaction {
  private readonly ended: Promise<void>
  end: () => void = () => {}

  constructor(readonly commands: readonly string[]) {
    this.ended = new Promise((resolve) => {
      this.end = resolve
    })
  }

  async answer(): Promise<readonly string[]> {
    await this.ended
    if (this.commands.includes('throws')) throw new Error('thrown')
    if (this.commands.includes('no store')) throw new StorageUnavailable('down')
    return this.commands.map((command) => `${command} done`)
  }
}

class Transactions {
  readonly begun: Transaction[] = []
  readonly gathering = new Gathering({
    most: 256,
    running: 2,
    weightOf: (command: string) => this.weightOf(command),
    performAll: (calls: readonly (readonly string[])[]) => {
      const transaction = new Transaction(calls.flat())
      this.begun.push(transaction)
      if (this.isEndless) return transaction.answer()
      transaction.end()
      return transaction.answer()
    },
    isStop: ({ status }) => this.isStopped && status === 'rejected',
  })

  constructor(
    private readonly isEndless: boolean,
    private readonly isStopped = false,
    private readonly weightOf: (command: string) => number = () => 1,
  ) {}
}

const done = (...commands: string[]) => commands.map((value) => ({ status: 'fulfilled', value: `${value} done` }))
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('the gathering of commands', () => {
  test('what comes while transactions are under way has the next one together', async () => {
    const { begun, gathering } = new Transactions(true)
    const first = gathering.perform(['a'])
    await turn()
    const second = gathering.perform(['b'])
    await turn()
    const others = ['c', 'd', 'e'].map((name) => gathering.perform([name, `${name}2`]))
    await turn()
    assert.deepEqual(
      begun.map(({ commands }) => commands),
      [['a'], ['b']],
    )
    begun[1]?.end()
    assert.deepEqual(await second, done('b'))
    await turn()
    assert.deepEqual(begun[2]?.commands, ['c', 'c2', 'd', 'd2', 'e', 'e2'])
    begun[2]?.end()
    assert.deepEqual(await Promise.all(others), [done('c', 'c2'), done('d', 'd2'), done('e', 'e2')])
    begun[0]?.end()
    assert.deepEqual(await first, done('a'))
  })

  test('what comes in one turn of the event loop shares a transaction', async () => {
    const { begun, gathering } = new Transactions(false)
    await Promise.all(['a', 'b', 'c'].map((name) => gathering.perform([name])))
    assert.deepEqual(
      begun.map(({ commands }) => commands),
      [['a', 'b', 'c']],
    )
  })

  test('the commands of one call are performed in order, however many they are', async () => {
    const { begun, gathering } = new Transactions(false)
    const commands = Array.from({ length: 600 }, (_, n) => `${n}`)
    const fates = await gathering.perform(commands)
    assert.deepEqual(fates, done(...commands))
    assert.deepEqual(
      begun.flatMap((one) => one.commands),
      commands,
    )
    assert.ok(begun.every((one) => one.commands.length <= 256))
  })

  test('shares a transaction by what commands cost, and has one of its own for what costs more', async () => {
    const { begun, gathering } = new Transactions(false, false, Number)
    const calls = [['200', '56'], ['1'], ['300'], ['100', '100', '57', '500', '500', '1']]
    const fates = await Promise.all(calls.map((commands) => gathering.perform(commands)))
    assert.deepEqual(
      fates,
      calls.map((commands) => done(...commands)),
    )
    assert.deepEqual(
      begun.map(({ commands }) => commands),
      [['200', '56'], ['1'], ['300'], ['100', '100'], ['57'], ['500'], ['500'], ['1']],
    )
  })

  test('a command that throws is rejected alone', async () => {
    const { begun, gathering } = new Transactions(false)
    const [some, others] = await Promise.all([gathering.perform(['a', 'throws', 'b']), gathering.perform(['c'])])
    assert.deepEqual(
      some.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(others, done('c'))
    assert.deepEqual(begun[0]?.commands, ['a', 'throws', 'b', 'c'])
  })

  test('a store that cannot be used rejects all, and is not asked for each', async () => {
    const { begun, gathering } = new Transactions(false)
    const fates = await gathering.perform(['a', 'no store', 'b'])
    assert.deepEqual(
      fates.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    )
    assert.equal(begun.length, 1)
  })

  test('where a fate is a stop, nothing is performed behind it in its call, and other calls go on', async () => {
    const { begun, gathering } = new Transactions(false, true)
    const calls = [['a', 'throws', 'b', 'c'], ['d', 'e'], ['throws'], ['f']]
    const fates = await Promise.all(calls.map((call) => gathering.perform(call)))
    assert.deepEqual(
      fates.map((some) => some.map(({ status }) => status)),
      [['fulfilled', 'rejected', 'rejected', 'rejected'], ['fulfilled', 'fulfilled'], ['rejected'], ['fulfilled']],
    )
    const committed = begun.map(({ commands }) => commands).filter((commands) => !commands.includes('throws'))
    assert.deepEqual(committed.flat(), ['a', 'd', 'e', 'f'])
  })

  test('where a fate is a stop, no further transaction of its call begins', async () => {
    const { begun, gathering } = new Transactions(false, true)
    const commands = Array.from({ length: 600 }, (_, n) => `${n}`)
    commands[255] = 'no store'
    const fates = await gathering.perform(commands)
    assert.ok(fates.length === 600 && fates.every(({ status }) => status === 'rejected'))
    assert.equal(begun.length, 1)
  })

  test('owners have their turns one after the other, also of what did not fit', async () => {
    const begun: (readonly string[])[] = []
    const gathering = new Gathering({
      most: 3,
      running: 1,
      ownerOf: (command: string) => command.charAt(0),
      performAll: async (calls: readonly (readonly string[])[]) => {
        begun.push(calls.flat())
        return calls.flat()
      },
    })
    const calls = [['a1', 'a2'], ['a3', 'a4'], ['a5'], ['b1', 'b2'], ['b3'], ['c1']]
    await Promise.all(calls.map((commands) => gathering.perform(commands)))
    assert.deepEqual(begun, [['a1', 'a2'], ['b1', 'b2', 'c1'], ['a3', 'a4', 'b3'], ['a5']])
  })

  test('what is done aside is followed by a rest as long as it took, also when nothing waits', async () => {
    let now = 0
    const rests: { readonly ms: number; readonly end: () => void }[] = []
    const begun: (readonly string[])[] = []
    const gathering = new Gathering({
      most: 256,
      running: 2,
      weightOf: Number,
      aside: { from: 100, rests: { now: () => now, after: (ms, end) => rests.push({ ms, end }) } },
      performAll: async (calls: readonly (readonly string[])[]) => {
        begun.push(calls.flat())
        now += Number(calls.flat()[0])
        return calls.flat()
      },
    })
    await gathering.perform(['101'])
    assert.deepEqual(
      rests.map(({ ms }) => ms),
      [50],
    )
    const second = gathering.perform(['102'])
    await gathering.perform(['1'])
    await turn()
    assert.deepEqual(begun, [['101'], ['1']])
    rests[0]?.end()
    await second
    assert.deepEqual(begun, [['101'], ['1'], ['102']])
  })
})
