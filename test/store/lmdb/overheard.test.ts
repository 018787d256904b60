import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overheard } from '../../../src/store/lmdb/overheard.js'

class Port {
  private readonly greeting = 'hello'

  greet(name: string): string {
    return `${this.greeting} ${name}`
  }

  fail(message: string): never {
    throw new Error(message)
  }

  async failLater(message: string): Promise<never> {
    throw new Error(message)
  }

  get isOpen(): boolean {
    return this.greeting === 'hello'
  }
}

test('what a port throws and rejects with is heard, and reaches the caller as before', async () => {
  const heard: string[] = []
  const port = overheard(new Port(), (error) => heard.push((error as Error).message))
  assert.equal(port.greet('you'), 'hello you')
  assert.equal(port.isOpen, true)
  assert.throws(() => port.fail('at once'), { message: 'at once' })
  await assert.rejects(port.failLater('later'), { message: 'later' })
  assert.deepEqual(heard, ['at once', 'later'])
})

test('so is what an object fails with that has its methods itself', async () => {
  const heard: string[] = []
  const fail = (message: string): never => {
    throw new Error(message)
  }
  const own = { fail, failLater: async (message: string) => fail(message), greet: (name: string) => `hello ${name}` }
  const port = overheard(own, (error) => heard.push((error as Error).message))
  assert.equal(port.greet('you'), 'hello you')
  assert.throws(() => port.fail('at once'), { message: 'at once' })
  await assert.rejects(port.failLater('later'), { message: 'later' })
  assert.deepEqual(heard, ['at once', 'later'])
})
