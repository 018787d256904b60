import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { gatewayHeaders } from '../support/service-fixture.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

describe('the process', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`answers what it accepted before ${signal}, exits 0, and has it after a restart`, async () => {
      const place = temporaryDirectory()
      const service = await ServiceProcess.start(place.path)
      await assignWallet(service.url)
      const answers: Promise<string | null>[] = []
      for (let n = 1; n <= 200; n += 1) answers.push(create(service.url, n))
      await Promise.race(answers)
      assert.deepEqual(await service.end(signal), { code: 0, signal: null })
      const acknowledged = (await Promise.all(answers)).filter((id) => id !== null)
      assert.ok(acknowledged.length > 0)
      const again = await ServiceProcess.start(place.path)
      const listed = (await (await fetch(`${again.url}/api/users/shop/invoices`)).json()) as { id: string }[]
      const ids = new Set(listed.map((invoice) => invoice.id))
      for (const id of acknowledged) assert.ok(ids.has(id), `${id} is lost`)
      assert.deepEqual(await again.end('SIGTERM'), { code: 0, signal: null })
      place.remove()
    })
  }

  test('stops in time although a client sends its request a byte at a time', async () => {
    const place = temporaryDirectory()
    const service = await ServiceProcess.start(place.path)
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => undefined)
    socket.write('POST /api/invoices HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{')
    const dribbling = setInterval(() => socket.write(' '), 100)
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
    clearInterval(dribbling)
    socket.destroy()
    place.remove()
  })

  test('serves on while /readyz tells proxies that it stops, for as long as the settings say', async () => {
    const place = temporaryDirectory()
    const service = await ServiceProcess.start(place.path, { BILLHOOK_DRAIN_SECONDS: '2' })
    await assignWallet(service.url)
    const ended = service.end('SIGTERM')
    while ((await fetch(`${service.url}/readyz`)).status === 200);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503)
    assert.ok(await create(service.url, 1))
    assert.deepEqual(await ended, { code: 0, signal: null })
    place.remove()
  })

  test('ends at once by a second signal while it serves on', async () => {
    const place = temporaryDirectory()
    const service = await ServiceProcess.start(place.path, { BILLHOOK_DRAIN_SECONDS: '600' })
    const ended = service.end('SIGTERM')
    while ((await fetch(`${service.url}/readyz`)).status === 200);
    service.child.kill('SIGTERM')
    assert.deepEqual(await ended, { code: 143, signal: null })
    place.remove()
  })

  test('refuses a data directory that another process uses, in one line, and the other goes on', async () => {
    const place = temporaryDirectory()
    const service = await ServiceProcess.start(place.path)
    await assert.rejects(ServiceProcess.start(place.path, {}, []), /ended with 1 before it was ready/)
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
    await service.end('SIGTERM')
    place.remove()
  })
})

async function assignWallet(url: string): Promise<void> {
  const event = {
    id: 'a',
    type: 'wallet.assigned',
    wallet: { id: 'w', address: '0x0000000000000000000000000000000000000001', network: 'SEP' },
    owner: 'shop',
  }
  const body = JSON.stringify({ events: [event] })
  const headers = gatewayHeaders(String(Date.now()), body)
  assert.equal((await fetch(`${url}/internal/events`, { method: 'POST', body, headers })).status, 200)
}

/** The id that the service acknowledged; null when the connection ended, or was refused, without an answer. */
async function create(url: string, n: number): Promise<string | null> {
  const body = JSON.stringify({ owner: 'shop', walletIds: ['w'], name: 'Order', amount: `${n}` })
  try {
    const response = await fetch(`${url}/api/invoices`, { method: 'POST', body })
    const text = await response.text()
    if (response.status !== 201) return null
    return (JSON.parse(text) as { id: string }).id
  } catch {
    return null
  }
}
