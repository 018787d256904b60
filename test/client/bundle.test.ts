import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { projectRoot } from '../support/project-root.js'

/** Of the client's own code, without noble's (issue 15). */
const OWN_LIMIT_BYTES = 15_360
const CRYPTOGRAPHY = ['@noble/*', '@scure/*']

/** What a bundler makes of a program for browsers, and the files that are in it. */
async function bundled(program: string, external: string[] = []): Promise<{ text: string; files: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: projectRoot },
    // The package as it is built, not the sources, which the project's own configuration names.
    tsconfigRaw: {},
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    external,
    write: false,
    metafile: true,
  })
  const files = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([name]) => name),
  )
  return { text: outputFiles.map(({ text }) => text).join(''), files }
}

describe('a bundle for browsers', () => {
  test('has less than 15 KB of the whole client, gzipped, without noble', async () => {
    const { text } = await bundled("export * from '@billhook/client'", CRYPTOGRAPHY)
    const bytes = gzipSync(text).length
    assert.ok(bytes < OWN_LIMIT_BYTES, `${bytes} bytes`)
  })

  test('uses nothing that only Node has', async () => {
    // For the platform browser, esbuild refuses every module of Node.
    const { text } = await bundled("export * from '@billhook/client'")
    assert.doesNotMatch(text, /\bBuffer\.|\bprocess\.(env|version)|\brequire\(/)
  })

  test('contains no more than it uses', async () => {
    const verifying = await bundled("import { verifyWebhook } from '@billhook/client'; console.log(verifyWebhook)")
    const calling = await bundled("import { Billhook } from '@billhook/client'; console.log(Billhook)")
    assert.deepEqual(
      verifying.files.filter((file) => /secp256k1|scure|curves|billhook\.js|ledger|transport/.test(file)),
      [],
    )
    assert.deepEqual(
      calling.files.filter((file) => /scure|curves|ledger|identity|webhook/.test(file)),
      [],
    )
    assert.ok(calling.files.some((file) => file.includes('secp256k1')))
  })
})
