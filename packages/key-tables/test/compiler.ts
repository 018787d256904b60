import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { absenceOf } from '../../../test/support/programs.js'
import { projectRoot } from '../../../test/support/project-root.js'

/** Where the compiler is installed, apart from the packages of the project. */
const BUILD = join(projectRoot, 'packages/key-tables/build')
const COMPILER = join(BUILD, 'node_modules/assemblyscript/dist/asc.js')

/** What the tests need of the compiler. Paths are relative to `BUILD`. */
interface Compiler {
  main(
    argv: readonly string[],
    host: {
      readFile(path: string): string | null
      writeFile(path: string, contents: unknown): void
      listFiles(): readonly string[]
    },
  ): Promise<{ readonly error: Error | null; readonly stderr: { toString(): string } }>
}

/** The reason for `skip` when the compiler is not installed; false when it is. */
export const noCompiler: string | false = existsSync(COMPILER) ? false : absenceOf('assemblyscript')

/** Compiles with the options of the script `compile`, in memory. `entry` stands in for the source, if it is given. */
export async function compiled(entry?: string): Promise<Uint8Array> {
  const { scripts } = JSON.parse(readFileSync(join(BUILD, 'package.json'), 'utf8'))
  const [command = ''] = String(scripts.compile).split(' && ')
  const [name, source = '', ...options] = command.split(' ')
  assert.ok(name === 'asc' && options.includes('-O3'))
  const asc: Compiler = await import(pathToFileURL(COMPILER).href)
  let code: Uint8Array | undefined
  const { error, stderr } = await asc.main([source, ...options], {
    readFile: (path) => (path === source && entry !== undefined ? entry : readIfThere(join(BUILD, path))),
    writeFile: (_, contents) => {
      if (contents instanceof Uint8Array) code = contents
    },
    listFiles: () => [],
  })
  assert.equal(error, null, stderr.toString())
  return code ?? assert.fail('nothing was compiled')
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
