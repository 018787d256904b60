import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anvilAbsence } from '../support/anvil.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { WatchedChain } from './watched-chain.js'

test('a service whose node lets every query wait ends with 0', { skip: anvilAbsence, timeout: 60_000 }, async (t) => {
  const world = await WatchedChain.start(t)
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const service = await ServiceProcess.start(place.path, world.environment())
  t.after(() => service.end('SIGKILL'))
  const isAsked = new Promise<void>((resolve) => {
    world.proxy.fault = {
      answer: () => {
        resolve()
        return true
      },
    }
  })
  await isAsked
  assert.equal((await service.end('SIGTERM')).code, 0)
})
