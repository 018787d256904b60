import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CallAtOnce, type Judged, judgeTogether } from './order.js'
import { Violation } from './violation.js'

/** A world in which calls write letters, and the store has written some, of which `isKept` may not be kept. */
class Letters implements Judged {
  written = ''

  constructor(
    private readonly stored: string,
    private readonly isKept: (written: string) => boolean = () => true,
  ) {}

  call(letters: string): CallAtOnce {
    return {
      name: () => `writes ${letters}`,
      judgements: [...letters].map((letter) => () => {
        this.written += letter
      }),
    }
  }

  capture(): () => void {
    const { written } = this
    return () => {
      this.written = written
    }
  }

  fits(): void {
    if (!this.stored.startsWith(this.written)) throw new Violation('a letter', `${this.written} in ${this.stored}`)
  }

  async ends(): Promise<void> {
    if (!this.isKept(this.written)) throw new Violation('a page', this.written)
  }

  traces(): readonly string[] {
    return [`the store has ${this.stored}`]
  }
}

test('calls fit in the order of their answers, or in another one, each in its own order', async () => {
  for (const stored of ['abcd', 'cdab', 'acbd', 'cabd']) {
    const world = new Letters(stored)
    await judgeTogether([world.call('ab'), world.call('cd')], world)
    assert.equal(world.written, stored)
  }
})

test('a violation names the calls, how far an order comes, and what the store tells', async () => {
  const world = new Letters('cbad')
  await assert.rejects(judgeTogether([world.call('ab'), world.call('cd')], world), (error) => {
    assert.ok(error instanceof Violation)
    assert.equal(error.kind, 'a letter')
    assert.deepEqual(
      error.message.split('\n').map((line) => line.trim()),
      [
        'a letter: a in cbad',
        'performed at once, in the order of their answers (4 judgements tried):',
        '1  writes ab',
        '2  writes cd',
        'an order that comes as far as any: 2 1, until a letter: ca in cbad',
        'the store has cbad',
      ],
    )
    return true
  })
})

test('an order that fits to its end, and leaves something else, comes farthest', async () => {
  const world = new Letters('ba', () => false)
  await assert.rejects(judgeTogether([world.call('a'), world.call('b')], world), /: 2 1, until a page: ba\n/)
})

test('a call alone is what is wrong by itself', async () => {
  const world = new Letters('x')
  await assert.rejects(judgeTogether([world.call('a')], world), { message: 'a letter: a in x' })
})
