import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NodeAnswer } from '../../src/ledger/node-http.js'
import { NOBODY, ReadApis } from '../../src/ledger/read-apis.js'

const UMIDS = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(64))
const MISSING: NodeAnswer = { kind: 'missing' }
const BROKEN: NodeAnswer = { kind: 'unclear', why: 'status 500' }

/** Read APIs in the hands of a test: what each answers about a transaction; all know that nobody has the zeros. */
function world(count: number) {
  const asked: string[] = []
  const down = new Set<string>()
  const answers = new Map<string, (umid: string) => NodeAnswer>()
  const urls = Array.from({ length: count }, (_, i) => `http://api${i}`)
  const http = {
    get: async (url: string, path: string): Promise<NodeAnswer> => {
      asked.push(`${url} ${path.slice(0, 12)}`)
      if (down.has(url)) return { kind: 'unclear', why: 'refused' }
      if (path.endsWith(NOBODY)) return MISSING
      const umid = path.split('/').at(-1) ?? ''
      return answers.get(url)?.(umid) ?? { kind: 'found', value: { umid: { $umid: umid } } }
    },
  }
  const silent = async (apis: ReadApis) => (await apis.check()).map(({ node, why }) => `${node}: ${why}`)
  return { apis: new ReadApis(urls, http), asked, down, answers, silent }
}

async function lookUp(apis: ReadApis, umids: readonly string[]): Promise<readonly string[]> {
  const kinds: string[] = []
  for (const umid of umids) kinds.push((await apis.transaction(umid)).kind)
  return kinds
}

describe('the read APIs of a ledger', () => {
  test('are each asked one short question when there was nothing to look up', async () => {
    const { apis, asked, down, silent } = world(3)
    down.add('http://api1')
    assert.deepEqual(await silent(apis), ['http://api1: refused'])
    assert.equal(asked.length, 3)
    for (const url of ['http://api0', 'http://api2']) down.add(url)
    assert.equal((await apis.check()).length, 3)
  })

  test('that had a transaction since are not asked', async () => {
    const { apis, asked } = world(2)
    await lookUp(apis, UMIDS.slice(0, 1))
    asked.length = 0
    assert.deepEqual(await apis.check(), [])
    assert.deepEqual(asked, ['http://api1 /api/tx/aaaa'])
  })

  test('that are behind an answering one are seen, too', async () => {
    const { apis, down, silent } = world(3)
    down.add('http://api2')
    assert.deepEqual(await lookUp(apis, UMIDS), ['found', 'found', 'found', 'found'])
    assert.deepEqual(await silent(apis), ['http://api2: refused'])
  })

  test('are silent when they have none of the last three transactions, and fine when they lack one for good', async () => {
    const { apis, answers, silent } = world(2)
    answers.set('http://api1', (umid) =>
      umid === UMIDS[3] ? BROKEN : { kind: 'found', value: { umid: { $umid: umid } } },
    )
    await lookUp(apis, UMIDS)
    assert.deepEqual(await silent(apis), [])
    answers.set('http://api1', () => MISSING)
    assert.deepEqual(await silent(apis), ['http://api1: it does not have the transactions that were read last'])
    answers.set('http://api1', () => BROKEN)
    assert.deepEqual(await silent(apis), ['http://api1: status 500'])
  })

  test('that were silent are asked last', async () => {
    const { apis, asked, down } = world(2)
    down.add('http://api0')
    await apis.check()
    asked.length = 0
    await lookUp(apis, UMIDS.slice(0, 1))
    assert.deepEqual(asked, ['http://api1 /api/tx/aaaa'])
    down.clear()
    await apis.check()
    asked.length = 0
    await lookUp(apis, UMIDS.slice(1, 2))
    assert.deepEqual(asked, ['http://api0 /api/tx/bbbb'])
  })
})
