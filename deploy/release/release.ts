/**
 * Makes a release on this machine: `BILLHOOK_RELEASE_KEY=<file> npm run release -- <version>`. Nothing leaves the machine.
 */

import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { projectRoot } from '../../test/support/project-root.js'
import { makeRelease } from './make-release.js'
import { SIGNATURE_FILE, SUMS_FILE } from './signature.js'

const DAY_CHARACTERS = 10
const OUTPUT_BYTES_MAX = 2 ** 26

const [version = ''] = process.argv.slice(2)
// The builds run the service's program, which refuses variables that are no settings of its own.
const { BILLHOOK_RELEASE_KEY: keyFile, ...environment } = process.env
try {
  const directory = makeRelease({
    root: projectRoot,
    version,
    date: new Date().toISOString().slice(0, DAY_CHARACTERS),
    keyFile,
    run: (program, args) =>
      execFileSync(program, args, {
        cwd: projectRoot,
        env: environment,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
        maxBuffer: OUTPUT_BYTES_MAX,
      }),
  })
  process.stdout.write(`${readdirSync(directory).join('\n')}

Made in ${directory}, signed in ${SIGNATURE_FILE} over ${SUMS_FILE}. Nothing has left this machine. Next:

  git diff                                    look at what changed
  git commit --all --message 'Release ${version}'
  git tag --annotate v${version} --message 'Billhook ${version}'
  git push origin HEAD v${version}
  upload the files of dist/release
`)
} catch (error) {
  process.stderr.write(`release: ${(error as Error).message}\n`)
  process.exitCode = 1
}
