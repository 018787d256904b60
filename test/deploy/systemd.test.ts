import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DRAIN_TIMEOUT_MS } from '../../src/cli/serve.js'
import { settingEntries } from '../../src/config/schema.js'
import { variableOf } from '../../src/config/setting.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const needsSystemd = { skip: missingPrograms('systemd-analyze') }

/** Tenths of the scale of `systemd-analyze security`, from 0 to 100; docs/operating/systemd.md names it. */
const EXPOSURE = 11

const unit = readFileSync(join(projectRoot, 'deploy/systemd/billhook.service'), 'utf8')

function valuesOf(name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)
}

/** Runs `systemd-analyze` on the unit with a program that exists on this machine. */
function analyse(...words: readonly string[]) {
  const place = temporaryDirectory()
  try {
    const path = join(place.path, 'billhook.service')
    writeFileSync(path, unit.replace('/usr/bin/billhook', process.execPath))
    const run = spawnSync('systemd-analyze', [...words, path], { encoding: 'utf8' })
    return { status: run.status, said: run.stdout + run.stderr }
  } finally {
    place.remove()
  }
}

describe('the unit for systemd', () => {
  test('is valid', needsSystemd, () => {
    assert.deepEqual(analyse('verify', '--man=no'), { status: 0, said: '' })
  })

  test('exposes as little as the documentation says', needsSystemd, () => {
    const { status, said } = analyse('security', '--offline=true', `--threshold=${EXPOSURE}`)
    assert.equal(status, 0, said)
    const page = readFileSync(join(projectRoot, 'docs/operating/systemd.md'), 'utf8')
    assert.match(page, new RegExp(`exposure of ${EXPOSURE / 10}`))
  })

  test('gives settings that exist', () => {
    const known = new Set(settingEntries.map(([name, { about }]) => variableOf(name, about)))
    const given = valuesOf('Environment').map((value) => value.split('=')[0] ?? '')
    assert.ok(given.length > 0)
    for (const name of given) assert.ok(known.has(name.replace(/_FILE$/, '')), name)
  })

  test('lets the service finish', () => {
    assert.ok(Number(valuesOf('TimeoutStopSec')[0]) * 1000 > DRAIN_TIMEOUT_MS + 60_000)
  })
})
