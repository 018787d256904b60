import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConsoleFixture, OWNER, WALLET } from './console-fixture.js'

const DAY_MS = 86_400_000
const day = (offset: number) => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10)

describe('the reports of the console', () => {
  test('are files of a period, which a form asks for', async (t) => {
    const console = await ConsoleFixture.start(t)
    await console.service.assign(OWNER, WALLET)
    await console.invoice({ amount: '5', orderNumber: '=1+1' })
    await console.deposit('0x1', '5000000')
    await console.deposit('0x2', '1000000', 'deposit.pending')
    const form = await console.page('/console/reports')
    assert.match(form.html, /<form class="filter" method="get" action="\/console\/csv\/reports">/)
    for (const name of ['report', 'from', 'to', 'zone', 'owner']) assert.ok(form.html.includes(`name="${name}"`), name)
    const asked = `from=${day(-1)}&to=${day(1)}`
    const sent = await console.visit(`/console/csv/reports?report=received&${asked}&zone=Europe%2FBerlin&owner=`)
    assert.equal(sent.status, 200)
    assert.equal(sent.headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(sent.headers.get('content-disposition'), `attachment; filename="received-${day(-1)}-${day(1)}.csv"`)
    const [head = '', line = '', ...more] = sent.html.trimEnd().split('\n')
    assert.match(head, /^day,time,received_at,/)
    assert.match(line, /,SEP,USDT,5,0x1,0,.*,matched,[0-9a-f]{32},,'=1\+1,/)
    assert.deepEqual(more, [])
    const daily = (await console.visit(`/console/csv/reports?report=daily&${asked}`)).html
    assert.match(daily, /^day,network,coin,deposits,amount,currency,value,value_exact\n[\d-]+,SEP,USDT,1,5,,,\n$/)
    assert.match((await console.visit(`/console/csv/reports?report=orders&${asked}`)).html, /^day,time,id,.*\n$/)
    const others = await console.visit(`/console/csv/reports?report=received&${asked}&owner=nobody`)
    assert.equal(others.html, `${head}\n`)
  })

  test('refuse what is no period, and are given to nobody who does not come in', async (t) => {
    const console = await ConsoleFixture.start(t, { BILLHOOK_CONSOLE_PASSWORD: 'a-long-password-1' })
    const shut = await console.visit('/console/csv/reports?report=received&from=2026-11-01&to=2026-11-30')
    assert.deepEqual([shut.status, shut.headers.get('location')], [303, '/console/sign-in'])
    const open = await ConsoleFixture.start(t)
    for (const query of [
      '',
      'report=received',
      'report=none&from=2026-11-01&to=2026-11-30',
      'report=received&from=2026-11-31&to=2026-12-30',
      'report=received&from=2026-11-02&to=2026-11-01',
      'report=received&from=2026-11-01&to=2026-11-30&zone=Nowhere',
    ]) {
      assert.equal((await open.visit(`/console/csv/reports?${query}`)).status, 400, query)
    }
  })
})
