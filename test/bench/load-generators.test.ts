import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { autocannonLoad } from '../../bench/load/autocannon.js'
import { findWrk } from '../../bench/load/wrk.js'
import { httpRequest, writeRequestFile } from '../../bench/request-file.js'
import { missingPrograms } from '../support/programs.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const wrk = findWrk()

for (const [name, generator] of [
  ['autocannon', autocannonLoad],
  ['wrk', wrk],
] as const) {
  describe(`load by ${name}`, { skip: name === 'wrk' && missingPrograms('wrk') }, () => {
    test('says that the requests ran out, and not only that repeated ones were refused', async () => {
      const seen = new Set<string>()
      const load = await loadOn((path) => {
        if (seen.has(path)) return 409
        seen.add(path)
        return 201
      }, 3)
      await assert.rejects(async () => generator?.run(load), /the 3 requests ran out/)
      await load.close()
    })

    test('reports refusals of requests that did not run out', async () => {
      const load = await loadOn(() => 503, 60_000)
      await assert.rejects(async () => generator?.run(load), /requests failed|Non-2xx/)
      await load.close()
    })

    test('tells the rate of a server that takes them again', async () => {
      const load = await loadOn(() => 200, 3)
      assert.ok(((await generator?.run(load)) ?? 0) > 0)
      await load.close()
    })

    test('tells the rate of a service that takes all of them', async () => {
      const load = await loadOn(() => 201, 60_000)
      assert.ok(((await generator?.run(load)) ?? 0) > 0)
      await load.close()
    })
  })
}

/** Load of so many requests, each to a path of its own, on a server that answers with a status. */
async function loadOn(statusOf: (path: string) => number, count: number) {
  const place = temporaryDirectory()
  const requests = join(place.path, 'requests')
  await writeRequestFile(requests, count, (n) => httpRequest('GET', `/${n}`, []))
  const server = createServer((request, response) => {
    response.statusCode = statusOf(request.url ?? '')
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
    place.remove()
  }
  return { url, connections: 1, seconds: 1, requests, close }
}
