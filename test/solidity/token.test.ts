import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import solc from 'solc'
import { projectRoot } from '../support/project-root.js'

/*
 * The compiler takes half a second, so the tests that deploy the token read its code from a file. After a change of the
 * source, `UPDATE=1 node --test dist/test/solidity/token.test.js` writes the file.
 */

const folder = join(projectRoot, 'test/solidity')

function compileToken(): string {
  const input = {
    language: 'Solidity',
    sources: { 'token.sol': { content: readFileSync(join(folder, 'token.sol'), 'utf8') } },
    settings: { evmVersion: 'paris', outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
    errors?: readonly { severity: string; formattedMessage: string }[]
    contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>
  }
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  assert.deepEqual(errors, [])
  return output.contracts['token.sol']?.['Token']?.evm.bytecode.object ?? assert.fail('the source has no Token')
}

test('the code of the token is compiled from its source', () => {
  const path = join(folder, 'token.hex')
  const code = compileToken()
  if (process.env['UPDATE'] !== undefined) writeFileSync(path, `${code}\n`)
  assert.equal(readFileSync(path, 'utf8').trim(), code)
})
