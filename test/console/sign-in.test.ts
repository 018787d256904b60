import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TRIALS_PER_MINUTE } from '../../src/console/password-trials.js'
import { SESSION_SECONDS, SESSIONS_MAX, Sessions } from '../../src/console/sessions.js'
import { ManualClock } from '../support/manual-clock.js'
import { ConsoleFixture } from './console-fixture.js'

const MINUTE_MS = 60_000
const PASSWORD = 'a password of an operator'
const WITH_PASSWORD = { BILLHOOK_CONSOLE_PASSWORD: PASSWORD, BILLHOOK_METRICS_HOST: '0.0.0.0' }

describe('a console with a password', () => {
  test('shows nothing before it is given, and nothing after the session was ended', async (t) => {
    const console = await ConsoleFixture.start(t, WITH_PASSWORD)
    const paths = [
      '/console',
      '/console/invoices',
      '/console/invoices/x',
      '/console/keys',
      '/console/networks',
      '/console/wallets',
      '/console/deposits',
    ]
    const isClosed = async () => {
      for (const path of paths) {
        const led = await console.visit(path)
        assert.deepEqual([led.status, led.headers.get('location')], [303, '/console/sign-in'], path)
      }
      assert.equal((await console.visit('/console/invoices/x/void', { token: '' })).status, 403)
    }
    await isClosed()
    const asked = await console.page('/console/sign-in')
    assert.deepEqual(asked.headers.getSetCookie(), [])
    const wrong = await console.visit('/console/sign-in', { password: `${PASSWORD} ` })
    assert.deepEqual([wrong.status, wrong.headers.getSetCookie()], [403, []])
    assert.ok(wrong.text.includes('This is not the password.'))
    const foreign = await console.visit('/console/sign-in', { password: PASSWORD }, { origin: 'https://evil.example' })
    assert.deepEqual([foreign.status, foreign.headers.getSetCookie()], [403, []])
    await isClosed()
    const signedIn = await console.visit('/console/sign-in', { password: PASSWORD })
    assert.deepEqual([signedIn.status, signedIn.headers.get('location')], [303, '/console'])
    assert.match(
      signedIn.headers.getSetCookie()[0] ?? '',
      /^billhook-console-\d+=[\w-]{43}; Path=\/console; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    )
    const { html } = await console.page('/console')
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(html) ?? []
    assert.equal((await console.visit('/console/sign-out', { token: 'another' })).status, 403)
    await console.page('/console')
    assert.equal((await console.visit('/console/sign-out', { token })).status, 303)
    await isClosed()
  })

  test('lets one address try few passwords at once, and the right one when its turn comes', async (t) => {
    const clock = new ManualClock(Date.now())
    const console = await ConsoleFixture.start(t, { ...WITH_PASSWORD, BILLHOOK_TRUSTED_PROXIES: '127.0.0.1/32' }, clock)
    const from = (address: string) => ({ 'x-forwarded-for': address })
    for (let i = 0; i < TRIALS_PER_MINUTE; i += 1) {
      assert.equal((await console.visit('/console/sign-in', { password: `${i}` }, from('192.0.2.1'))).status, 403)
    }
    let isAnswered = false
    const late = console.visit('/console/sign-in', { password: PASSWORD }, from('192.0.2.1')).finally(() => {
      isAnswered = true
    })
    // Others behind the proxy do not wait with it.
    const other = await console.visit('/console/sign-in', { password: 'wrong' }, from('192.0.2.2'))
    assert.deepEqual([other.status, isAnswered], [403, false])
    clock.advance(MINUTE_MS / TRIALS_PER_MINUTE)
    const signedIn = await late
    assert.deepEqual([signedIn.status, signedIn.headers.get('location')], [303, '/console'])
  })
})

describe('sessions', () => {
  test('end after their time, and the oldest one where there are too many', () => {
    const clock = new ManualClock()
    const sessions = new Sessions(clock)
    const first = sessions.start()
    assert.equal(sessions.find(first.id), first)
    clock.set(clock.now() + SESSION_SECONDS * 1000 - 1)
    assert.equal(sessions.find(first.id), first)
    clock.set(clock.now() + 1)
    assert.equal(sessions.find(first.id), null)
    const second = sessions.start()
    const others = Array.from({ length: SESSIONS_MAX - 1 }, () => sessions.start())
    assert.equal(sessions.find(second.id), second)
    sessions.start()
    assert.equal(sessions.find(second.id), null)
    const [kept] = others
    assert.ok(kept !== undefined && sessions.find(kept.id) === kept)
    assert.notEqual(kept.token('a'), others[1]?.token('a'))
    assert.notEqual(kept.token('a'), kept.token('b'))
  })
})
