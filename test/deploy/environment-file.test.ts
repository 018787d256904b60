import assert from 'node:assert/strict'
import { text as textOf } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { settingEntries } from '../../src/config/schema.js'
import { fileVariableOf } from '../../src/config/secret-files.js'
import { variableOf } from '../../src/config/setting.js'
import { readSettings } from '../../src/config.js'
import { environmentFile, environmentLines, productionEnvironment, suggested, unedited } from '../support/production.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

describe('the environment file', () => {
  test('names settings that exist, each once', () => {
    const known = new Set(
      settingEntries.flatMap(([name, { about }]) => {
        const variable = variableOf(name, about)
        return about.secret === true ? [variable, fileVariableOf(variable)] : [variable]
      }),
    )
    const names = environmentLines.map(({ name }) => name)
    assert.ok(names.length > 0)
    assert.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
    )
    assert.deepEqual(names, [...new Set(names)])
  })

  test('has lines that systemd and compose read alike', () => {
    for (const line of environmentFile.split('\n')) assert.match(line, /^(#.*|[A-Z][A-Z0-9_]*=[^\s'"$\\]*|)$/)
  })

  test('is refused as it is, for the values that an operator must fill in', () => {
    const read = readSettings([], unedited)
    assert.ok('problems' in read)
    const named = read.problems.map((problem) => /BILLHOOK_(?!STRICT)\w+/.exec(problem)?.[0])
    assert.deepEqual(named.sort(), ['BILLHOOK_ONBOARDING_NAME', 'BILLHOOK_PUBLIC_URL'])
  })

  test('is a valid configuration with what it suggests besides', () => {
    // The operator's own files, instead of which the test gives the secret itself and no networks.
    const { BILLHOOK_GATEWAY_SECRET_FILE, BILLHOOK_NETWORKS, ...others } = suggested
    assert.equal(BILLHOOK_GATEWAY_SECRET_FILE, '/etc/billhook/gateway-secret')
    assert.equal(BILLHOOK_NETWORKS, '/etc/billhook/networks.json')
    assert.deepEqual(Object.keys(readSettings([], { ...productionEnvironment, ...others })), ['settings'])
  })

  test('starts a strict service without a warning but that of a new store', async (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const service = await ServiceProcess.launch({
      data: place.path,
      environment: productionEnvironment,
      stderr: 'pipe',
    })
    assert.ok(service.child.stderr)
    const logged = textOf(service.child.stderr)
    const unsigned = await fetch(`${service.url}/api/users/anyone/webhook`)
    assert.equal(unsigned.status, 401)
    assert.equal((await service.end('SIGTERM')).code, 0)
    const log = await logged
    const levels = log
      .split('\n')
      .filter((line) => line !== '' && !line.includes('a new, empty store was created'))
      .map((line) => JSON.parse(line).level)
    assert.ok(levels.includes('info'))
    assert.deepEqual([...new Set(levels)], ['info'], log)
  })
})
