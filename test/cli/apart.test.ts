import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deathBy } from '../../src/cli/apart.js'
import { startChild } from './child.js'

const script = new URL('./apart-process.js', import.meta.url)

async function endOf(...argv: string[]): Promise<unknown> {
  const { code, stdout } = await startChild(script, argv).ended
  assert.equal(code, 0)
  return JSON.parse(stdout)
}

describe('a command line that runs in a child', () => {
  test('ends with the code of the child, or tells its parent which signal ended it', async () => {
    assert.deepEqual(await endOf('code', '0'), { code: 0 })
    assert.deepEqual(await endOf('code', '7'), { code: 7 })
    assert.deepEqual(await endOf('signal', 'SIGBUS'), { signal: 'SIGBUS' })
    assert.deepEqual(await endOf('signal', 'SIGKILL'), { signal: 'SIGKILL' })
  })

  test('hears of each signal once, from its parent', async () => {
    const parent = startChild(script, ['stopped'])
    const child = Number(/^child (\d+)$/m.exec(await parent.wrote('stdout', 'child '))?.[1])
    // A terminal sends it to both.
    process.kill(child, 'SIGINT')
    parent.kill('SIGTERM')
    await parent.wrote('stdout', 'heard 1')
    parent.kill('SIGTERM')
    const { stdout } = await parent.ended
    assert.match(stdout, /heard 2\n\{"code":143\}\n$/)
  })

  test('is asked to stop when its parent is gone', async () => {
    const parent = startChild(script, ['stopped'])
    await parent.wrote('stdout', 'child ')
    parent.kill('SIGTERM')
    await parent.wrote('stdout', 'heard 1')
    parent.kill('SIGKILL')
    // The output is open as long as the child has it.
    assert.match((await parent.ended).stdout, /heard 2\n$/)
  })
})

describe('what is told of the death of a child', () => {
  for (const signal of ['SIGBUS', 'SIGSEGV', 'SIGFPE', 'SIGILL'] as const) {
    test(`names the damage after ${signal}`, () => {
      const line = deathBy(signal, 'the data directory /data')
      assert.match(line, /^the data directory \/data cannot be read: reading it ended the process \(SIG[A-Z]+\), so /)
      assert.ok(line.includes(signal))
    })
  }

  for (const signal of ['SIGKILL', 'SIGABRT', 'SIGTERM'] as const) {
    test(`says nothing of damage after ${signal}`, () => {
      assert.equal(deathBy(signal, 'the data'), `the process that reads the data was ended by ${signal}`)
    })
  }
})
