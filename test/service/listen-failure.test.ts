import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { ServiceFixture } from '../support/service-fixture.js'

for (const engine of HTTP_ENGINES) {
  test(`a service that cannot listen says the one cause (${engine})`, async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    assert.ok(address !== null && typeof address === 'object')
    const start = (host: string, port: number) =>
      ServiceFixture.start({ BILLHOOK_HTTP: engine, BILLHOOK_HOST: host, BILLHOOK_PORT: String(port) })
    const { port } = address
    await assert.rejects(start('127.0.0.1', port), {
      message: `cannot listen on 127.0.0.1:${port}: another program uses the port`,
    })
    await assert.rejects(start('192.0.2.1', port), {
      message: `cannot listen on 192.0.2.1:${port}: this machine does not have the address`,
    })
    await assert.rejects(start('2001:db8::1', port), {
      message: /^cannot listen on \[2001:db8::1\]:\d+: this machine does not have the address$/,
    })
    other.close()
  })
}
