import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHostResolver, type DnsQueries, HostNotFound } from '../../src/webhooks/host-resolver.js'
import { deferred } from '../support/deferred.js'

const never = new AbortController().signal

/** Plays a name server: addresses, or the code of a failure. */
function queries(v4: readonly string[] | string, v6: readonly string[] | string): () => DnsQueries {
  const answer = (what: readonly string[] | string) =>
    typeof what === 'string'
      ? Promise.reject(Object.assign(new Error(what), { code: what }))
      : Promise.resolve([...what])
  // The overloads with record options are not used here.
  return () => ({ resolve4: () => answer(v4), resolve6: () => answer(v6), cancel: () => {} }) as unknown as DnsQueries
}

const noQueries = () => assert.fail('DNS was asked')
const noHosts = () => Promise.resolve('')

describe('resolving a host name', () => {
  test('answers the addresses of both families, IPv4 first', async () => {
    const resolve = createHostResolver({
      newQueries: queries(['192.0.2.1', '192.0.2.2'], ['2001:db8::1']),
      readHosts: noHosts,
    })
    assert.deepEqual(await resolve('shop.example', never), ['192.0.2.1', '192.0.2.2', '2001:db8::1'])
  })

  test('is content with one family', async () => {
    for (const failure of ['ENODATA', 'ESERVFAIL', 'ETIMEOUT']) {
      const only4 = createHostResolver({ newQueries: queries(['192.0.2.1'], failure), readHosts: noHosts })
      assert.deepEqual(await only4('shop.example', never), ['192.0.2.1'])
      const only6 = createHostResolver({ newQueries: queries(failure, ['2001:db8::1']), readHosts: noHosts })
      assert.deepEqual(await only6('shop.example', never), ['2001:db8::1'])
    }
  })

  test('rejects with the code when there is no address', async () => {
    for (const [v4, v6, code] of [
      ['ENOTFOUND', 'ENOTFOUND', 'ENOTFOUND'],
      ['ETIMEOUT', 'ENODATA', 'ETIMEOUT'],
      [[], [], 'ENODATA'],
    ] as const) {
      const resolve = createHostResolver({ newQueries: queries(v4, v6), readHosts: noHosts })
      await assert.rejects(resolve('shop.example', never), (error) => {
        assert.ok(error instanceof HostNotFound)
        assert.equal(error.code, code)
        return true
      })
    }
  })

  test('knows loopback names without asking anybody', async () => {
    const resolve = createHostResolver({
      newQueries: noQueries,
      readHosts: () => assert.fail('the hosts file was read'),
    })
    for (const name of ['localhost', 'LOCALHOST', 'localhost.', 'shop.localhost']) {
      assert.deepEqual(await resolve(name, never), ['127.0.0.1', '::1'])
    }
  })

  test('prefers the hosts file', async () => {
    const text = [
      '# 10.0.0.9 shop.test',
      '10.0.0.1\tshop.test  www.shop.test # the shop',
      'fd00::1 SHOP.test\r',
      'nonsense shop.test',
      '10.0.0.2 othershop.test',
    ].join('\n')
    const resolve = createHostResolver({ newQueries: noQueries, readHosts: () => Promise.resolve(text) })
    assert.deepEqual(await resolve('shop.test', never), ['10.0.0.1', 'fd00::1'])
    assert.deepEqual(await resolve('www.shop.test.', never), ['10.0.0.1'])
  })

  test('does without a hosts file', async () => {
    const resolve = createHostResolver({
      newQueries: queries(['192.0.2.1'], []),
      readHosts: () => Promise.reject(new Error('no such file')),
    })
    assert.deepEqual(await resolve('shop.example', never), ['192.0.2.1'])
  })

  test('cancels its queries when nobody waits for them any more', async () => {
    const ended = new AbortController()
    let cancelled = 0
    const asked = deferred<void>()
    const pending = deferred<string[]>()
    const newQueries = () => {
      const ask = () => {
        asked.resolve()
        return pending.promise
      }
      const cancel = () => {
        cancelled += 1
        pending.reject(Object.assign(new Error('cancelled'), { code: 'ECANCELLED' }))
      }
      return { resolve4: ask, resolve6: ask, cancel } as unknown as DnsQueries
    }
    const rejected = assert.rejects(
      createHostResolver({ newQueries, readHosts: noHosts })('shop.example', ended.signal),
      HostNotFound,
    )
    await asked.promise
    ended.abort()
    await rejected
    assert.equal(cancelled, 1)
  })

  test('asks nobody when nobody waits from the start', async () => {
    let asked = 0
    const newQueries = () => {
      const ask = () => {
        asked += 1
        return Promise.resolve(['192.0.2.1'])
      }
      return { resolve4: ask, resolve6: ask, cancel: () => {} } as unknown as DnsQueries
    }
    const resolve = createHostResolver({ newQueries, readHosts: noHosts })
    await assert.rejects(resolve('shop.example', AbortSignal.abort()), HostNotFound)
    assert.equal(asked, 0)
  })
})
