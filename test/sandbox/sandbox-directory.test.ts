import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { OperatorError } from '../../src/operator-error.js'
import { assertDirectoryFits, JOURNAL_FILE } from '../../src/sandbox/sandbox-directory.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

describe('a data directory', () => {
  for (const [what, files, isSandbox, isRefused] of [
    ['that is not there', null, true, false],
    ['that is not there', null, false, false],
    ['that is empty', [], true, false],
    ['of a sandbox', ['data.mdb', JOURNAL_FILE], true, false],
    ['of a sandbox', ['data.mdb', JOURNAL_FILE], false, true],
    ['of the real service', ['data.mdb'], false, false],
    ['of the real service', ['data.mdb'], true, true],
  ] as const) {
    test(`${what} is ${isRefused ? 'refused' : 'taken'} ${isSandbox ? 'with' : 'without'} the sandbox`, () => {
      const place = temporaryDirectory()
      const directory = join(place.path, 'data')
      if (files !== null) mkdirSync(directory)
      for (const file of files ?? []) writeFileSync(join(directory, file), '')
      if (isRefused) assert.throws(() => assertDirectoryFits(directory, isSandbox), OperatorError)
      else assertDirectoryFits(directory, isSandbox)
      place.remove()
    })
  }

  test('of a sandbox does not start without it, nor the other way round', async () => {
    for (const [first, second] of [
      ['on', 'off'],
      ['off', 'on'],
    ] as const) {
      const place = temporaryDirectory()
      const environment = { BILLHOOK_DATA: join(place.path, 'data') }
      const fixture = await ServiceFixture.start({ ...environment, BILLHOOK_SANDBOX: first })
      await fixture.stop()
      await assert.rejects(ServiceFixture.start({ ...environment, BILLHOOK_SANDBOX: second }), OperatorError)
      place.remove()
    }
  })
})
