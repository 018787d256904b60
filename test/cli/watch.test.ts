import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ServiceFixture } from '../support/service-fixture.js'
import { startChild } from './child.js'
import { Shop } from './shop.js'

const main = new URL('../../src/main.js', import.meta.url)

describe('billhook invoice watch', () => {
  let shop: Shop

  before(async () => {
    shop = await Shop.open()
  })

  after(() => shop.close())

  function watch(id: string, ...more: readonly string[]) {
    return startChild(main, ['invoice', 'watch', id, '--data', shop.data, '--interval', '1', ...more])
  }

  function pay(id: string, ...more: readonly string[]) {
    return shop.json(['sandbox', 'pay', id, '--data', shop.data, '--wait', ...more])
  }

  test('prints every change and ends with 0 when the invoice is paid', async () => {
    const id = await shop.invoice('40')
    const watching = watch(id, '--json')
    await watching.wrote('stdout', '"received":"0"')
    const paid = await pay(id, '--amount', '15')
    assert.deepEqual([paid.deposit.amount, paid.invoice.payment.remaining], ['15', '25'])
    await watching.wrote('stdout', '"received":"15"')
    await pay(id)
    const { code, stdout, stderr } = await watching.ended
    assert.deepEqual([code, stderr], [0, ''])
    const last = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).payment)
      .at(-1)
    assert.deepEqual([last.status, last.received], ['paid', '40'])
  })

  test('ends with 1 when the invoice is void, with 3 at the timeout', async () => {
    const id = await shop.invoice('41')
    const late = await shop.run(['invoice', 'watch', id, '--data', shop.data, '--timeout', '1', '--interval', '1'])
    assert.deepEqual([late.code, late.stderr], [3, 'billhook: the invoice was not paid in this time.\n'])
    const watching = watch(id)
    await watching.wrote('stdout', 'unpaid')
    await shop.json(['invoice', 'void', id, '--data', shop.data])
    const { code, stdout } = await watching.ended
    assert.equal(code, 1)
    assert.match(stdout, /Z void: 0 native received, 41 remaining\n$/)
  })

  test('ends with 1 at once when there is no such invoice', async () => {
    const { code, stderr } = await watch('f'.repeat(32)).ended
    assert.deepEqual([code, stderr], [1, 'billhook: No such invoice. (invoice_not_found)\n'])
  })

  test('waits for a service that restarts', async () => {
    const own = await Shop.open()
    try {
      const id = await own.invoice('42')
      const watching = startChild(main, ['invoice', 'watch', id, '--data', own.data, '--interval', '1'])
      await watching.wrote('stdout', 'unpaid')
      await own.stop()
      await watching.wrote('stderr', 'trying again')
      const again = await ServiceFixture.start({ BILLHOOK_DATA: own.data, BILLHOOK_SANDBOX: 'on' })
      assert.equal((await own.run(['sandbox', 'pay', id, '--data', own.data])).code, 0)
      const { code, stdout } = await watching.ended
      await again.stop()
      assert.equal(code, 0)
      assert.match(stdout, /Z paid: 42 native received\n$/)
    } finally {
      await own.close()
    }
  })
})

describe('billhook sandbox pay', () => {
  test('says when the service has no sandbox', async () => {
    const shop = await Shop.open('strict')
    try {
      const { code, stderr } = await shop.run(['sandbox', 'pay', 'x', '--data', shop.data])
      assert.deepEqual([code, stderr], [1, 'billhook: the service has no sandbox: it runs without --sandbox\n'])
    } finally {
      await shop.close()
    }
  })
})
