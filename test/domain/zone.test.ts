import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isDay, isWithin, periodOf, type Span, spanOf, Zone } from '../../src/domain/zone.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Kiritimati'],
  // Clocks that were changed at midnight, and a day that was left out.
  ...['America/Sao_Paulo', 'Asia/Beirut', 'Pacific/Apia', 'America/St_Johns'],
]

/** To make one takes as long as hundreds of its answers. */
const zones = new Map<string, Zone>()

function zone(name: string): Zone {
  const known = zones.get(name) ?? Zone.named(name) ?? assert.fail(name)
  zones.set(name, known)
  return known
}

function period(from: string, to: string, name: string) {
  const read = periodOf({ from, to, zone: name })
  return 'period' in read ? read.period : assert.fail(read.wrong)
}

describe('a day', () => {
  for (const [text, expected] of [
    ['2026-11-30', true],
    ['2024-02-29', true],
    ['2026-02-29', false],
    ['2026-13-01', false],
    ['2026-1-1', false],
    ['1969-12-31', false],
    ['2200-01-01', false],
    ['2026-11-30T00:00', false],
    ['', false],
  ] as const) {
    test(`${JSON.stringify(text)} is ${expected ? 'one' : 'none'}`, () => assert.equal(isDay(text), expected))
  }
})

describe('a period', () => {
  for (const [from, to, name, wrong] of [
    ['2026-11-01', '2026-11-30', 'Europe/Berlin', undefined],
    ['2026-11-01', '2026-11-01', 'UTC', undefined],
    ['2026-11-31', '2026-12-01', 'UTC', 'from'],
    ['2026-11-02', '2026-11-01', 'UTC', 'to'],
    ['2026-11-02', 'tomorrow', 'UTC', 'to'],
    ['2026-11-01', '2026-11-30', 'Europe/Bielefeld', 'zone'],
    ['2026-11-01', '2026-11-30', '', 'zone'],
  ] as const) {
    test(`from ${from} to ${to} in ${JSON.stringify(name)}: ${wrong ?? 'right'}`, () => {
      const read = periodOf({ from, to, zone: name })
      assert.equal('wrong' in read ? read.wrong : undefined, wrong)
    })
  }
})

describe('the clocks of a zone', () => {
  for (const [name, moment, day, time] of [
    ['UTC', '2026-11-30T23:59:59.999Z', '2026-11-30', '23:59:59'],
    ['Europe/Berlin', '2026-11-30T23:00:00Z', '2026-12-01', '00:00:00'],
    ['Europe/Berlin', '2026-07-31T22:00:00Z', '2026-08-01', '00:00:00'],
    // The hour that comes twice.
    ['Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25', '02:30:00'],
    ['Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25', '02:30:00'],
    ['America/New_York', '2026-01-01T04:59:59Z', '2025-12-31', '23:59:59'],
    ['Pacific/Kiritimati', '2026-11-30T10:00:00Z', '2026-12-01', '00:00:00'],
    ['Asia/Kathmandu', '2026-11-30T18:15:00Z', '2026-12-01', '00:00:00'],
    // A midnight that there was none of.
    ['America/Sao_Paulo', '2018-11-04T03:00:00Z', '2018-11-04', '01:00:00'],
  ] as const) {
    test(`${name} at ${moment}`, () => {
      assert.deepEqual(zone(name).localTime(Date.parse(moment)), { day, time })
    })
  }
})

describe('the span of a period', () => {
  for (const [from, to, name, expected] of [
    ['2026-11-01', '2026-11-30', 'UTC', ['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z']],
    ['2026-11-01', '2026-11-30', 'Europe/Berlin', ['2026-10-31T23:00:00.000Z', '2026-11-30T23:00:00.000Z']],
    // Summer time ends in the month, and begins in another.
    ['2026-10-01', '2026-10-31', 'Europe/Berlin', ['2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z']],
    ['2026-03-29', '2026-03-29', 'America/New_York', ['2026-03-29T04:00:00.000Z', '2026-03-30T04:00:00.000Z']],
  ] as const) {
    test(`from ${from} to ${to} in ${name}`, () => {
      const span = spanOf(period(from, to, name))
      assert.deepEqual(
        [span.from, span.before].map((unixMs) => new Date(unixMs).toISOString()),
        expected,
      )
    })
  }

  test('has every moment of its days, in whatever zone and year, and only an hour or a day beside them', () => {
    const moments = fc.integer({ min: Date.parse('1990-01-01'), max: Date.parse('2040-01-01') })
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moments, fc.nat({ max: 3 }), (name, moment, days) => {
        const { day } = zone(name).localTime(moment)
        const last = zone(name).localTime(moment + days * DAY_MS).day
        const [earlier = '', later = ''] = [day, last].sort()
        const { from, before } = spanOf({ from: earlier, to: later, zone: zone(name) })
        assert.ok(from <= moment && moment < before)
        assert.ok(before - from <= (days + 2) * DAY_MS + HOUR_MS)
      }),
      { numRuns: 2000 },
    )
  })

  test('of days that follow each other leaves out no moment, and counts none twice', () => {
    for (const name of ZONES) {
      const spans = new Map<string, Span>()
      // A year in which Samoa left out a day, and Brazil changed its clocks at midnight.
      for (let moment = Date.parse('2011-10-01'); moment < Date.parse('2012-04-01'); moment += HOUR_MS / 2) {
        const { day } = zone(name).localTime(moment)
        const known = spans.get(day)
        const { from, before } = known ?? spanOf({ from: day, to: day, zone: zone(name) })
        if (known === undefined) {
          assert.ok(isWithin({ from: day, to: day }, day))
          spans.set(day, { from, before })
        }
        assert.ok(from <= moment && moment < before, `${name} ${new Date(moment).toISOString()}`)
      }
    }
  })
})
