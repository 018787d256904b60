import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AskLedger, KnownIdentities, QUERIES_MAX } from '../../src/auth/known-identities.js'

const idOf = (n: number) => n.toString(16).padStart(64, '0')
const ID = idOf(0xab)

/** A ledger that answers when the test wants it to, and a store that remembers. */
class World {
  readonly known = new Set<string>()
  /** What was asked of the ledger, in order. */
  readonly asked: string[] = []
  private readonly open: ((answer: boolean | 'unreachable') => void)[] = []
  private readonly ledger: AskLedger = {
    hasIdentity: (id) => {
      this.asked.push(id)
      return new Promise((resolve) => this.open.push(resolve))
    },
  }
  readonly identities = new KnownIdentities(this.port(), this.ledger)

  /** Knows the same, and no ledger is configured. */
  withoutLedger(): KnownIdentities {
    return new KnownIdentities(this.port(), null)
  }

  /** The ledger answers the oldest question. */
  answer(answer: boolean | 'unreachable'): void {
    const resolve = this.open.shift()
    assert.ok(resolve !== undefined, 'nothing was asked')
    resolve(answer)
  }

  private port() {
    const { known } = this
    return {
      isKnown: (owner: string) => known.has(owner),
      remember: async (owner: string) => void known.add(owner),
    }
  }
}

/** Asks, and lets the question reach the ledger. */
async function asking(world: World, id: string): Promise<{ readonly answer: Promise<unknown> }> {
  const answer = world.identities.exists(id)
  await Promise.resolve()
  await Promise.resolve()
  return { answer }
}

describe('which identities exist', () => {
  test('those that are known here, of whatever spelling, without a question', async () => {
    const world = new World()
    world.known.add('shop one')
    assert.equal(await world.identities.exists('shop one'), true)
    assert.equal(await world.withoutLedger().exists('shop one'), true)
    assert.deepEqual(world.asked, [])
  })

  test('what the ledger has exists, and is not asked for again', async () => {
    const world = new World()
    const { answer } = await asking(world, ID)
    world.answer(true)
    assert.equal(await answer, true)
    assert.equal(await world.identities.exists(ID), true)
    assert.deepEqual(world.asked, [ID])
  })

  for (const [said, known] of [
    [false, false],
    ['unreachable', 'ledger_unreachable'],
  ] as const) {
    test(`${said} is not kept: the next one who asks may hear something else`, async () => {
      const world = new World()
      const first = await asking(world, ID)
      world.answer(said)
      assert.equal(await first.answer, known)
      const second = await asking(world, ID)
      world.answer(true)
      assert.equal(await second.answer, true)
      assert.deepEqual(world.asked, [ID, ID])
    })
  }

  test('nobody exists for a service that has no ledger and does not know', async () => {
    assert.equal(await new World().withoutLedger().exists(ID), false)
  })

  const others = ['', ' ', '_all_docs', '_compact', '_changes', 'changes', '..', `x${ID}`, `${ID}:`, `${ID}:stream`]
  for (const id of [...others, ID.toUpperCase(), ID.slice(1), `0x${ID.slice(2)}`, 'i'.repeat(3000)]) {
    test(`the ledger is not asked for ${JSON.stringify(id.slice(0, 80))}, and it is not kept`, async () => {
      const world = new World()
      assert.equal(await world.identities.exists(id), false)
      assert.deepEqual([world.asked, [...world.known]], [[], []])
    })
  }

  test('those who ask for one identity at once share a question', async () => {
    const world = new World()
    const first = await asking(world, ID)
    const others = await Promise.all([1, 2, 3].map(() => asking(world, ID)))
    world.answer(false)
    assert.deepEqual(await Promise.all([first, ...others].map(({ answer }) => answer)), [false, false, false, false])
    assert.deepEqual(world.asked, [ID])
  })

  test('beyond the bound nobody can say, and nobody is asked, until a question ends', async () => {
    const world = new World()
    const open = await Promise.all(Array.from({ length: QUERIES_MAX }, (_, i) => asking(world, idOf(i))))
    assert.equal(await world.identities.exists(ID), 'overloaded')
    assert.equal(world.asked.length, QUERIES_MAX)
    const shared = await asking(world, idOf(0))
    world.answer(false)
    assert.equal(await shared.answer, false)
    const next = await asking(world, ID)
    for (let i = 0; i < QUERIES_MAX; i += 1) world.answer(false)
    assert.equal(await next.answer, false)
    await Promise.all(open.map(({ answer }) => answer))
  })

  test('a question that ends in a defect makes room for others', async () => {
    const broken: AskLedger = { hasIdentity: () => Promise.reject(new Error('a defect')) }
    const port = { isKnown: () => false, remember: async () => undefined }
    const identities = new KnownIdentities(port, broken)
    for (let i = 0; i <= QUERIES_MAX; i += 1) await assert.rejects(identities.exists(idOf(i)), /a defect/)
  })
})
