import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { planDescriptors } from '../../src/service/descriptors.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const skip = process.platform === 'linux' ? false : 'only the table of Linux is known'
/** As by default. */
const WEBHOOKS = 256

test('a service that is ready has room for all the connections that it takes', { skip }, async () => {
  const place = temporaryDirectory()
  const service = await ServiceProcess.start(place.path)
  try {
    const status = readFileSync(`/proc/${service.pid}/status`, 'latin1')
    const room = Number(/^FDSize:\s+(\d+)/m.exec(status)?.[1])
    assert.ok(room >= planDescriptors(WEBHOOKS).open, `room for ${room} descriptors`)
  } finally {
    await service.stop()
    place.remove()
  }
})
