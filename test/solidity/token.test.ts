import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import solc from 'solc'
import { projectRoot } from '../support/project-root.js'

/*
 * The compiler takes half a second, so the tests that deploy the contracts read their code from files. After a change of
 * a source, `UPDATE=1 node --test dist/test/solidity/token.test.js` writes them.
 */

const folder = join(projectRoot, 'test/solidity')

/** The code of a contract in the source file of this name. */
function compile(file: string, contract: string): string {
  const input = {
    language: 'Solidity',
    sources: { [`${file}.sol`]: { content: readFileSync(join(folder, `${file}.sol`), 'utf8') } },
    settings: { evmVersion: 'paris', outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
    errors?: readonly { severity: string; formattedMessage: string }[]
    contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>
  }
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  assert.deepEqual(errors, [])
  return (
    output.contracts[`${file}.sol`]?.[contract]?.evm.bytecode.object ?? assert.fail(`the source has no ${contract}`)
  )
}

for (const [file, contract] of [
  ['token', 'Token'],
  ['fee-token', 'FeeToken'],
  ['payer', 'Payer'],
  ['spender', 'Spender'],
] as const) {
  test(`the code of the ${contract} is compiled from its source`, () => {
    const path = join(folder, `${file}.hex`)
    const code = compile(file, contract)
    if (process.env['UPDATE'] !== undefined) writeFileSync(path, `${code}\n`)
    assert.equal(readFileSync(path, 'utf8').trim(), code)
  })
}
