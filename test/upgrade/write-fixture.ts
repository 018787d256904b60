import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ask } from '../chaos/http-client.js'
import { projectRoot } from '../support/project-root.js'
import { GATEWAY_SECRET } from '../support/service-fixture.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { readAnswers } from './answers.js'
import { History } from './history.js'

/*
 * Writes the data of an earlier version, and what that version answers about it:
 *
 *     git worktree add ../earlier <commit> && (cd ../earlier && npm ci && npm run build)
 *     npm run build && node dist/test/upgrade/write-fixture.js ../earlier/dist/src/main.js <version>
 *
 * Once a version is out, its fixture stays as it is.
 */
const [program, version] = process.argv.slice(2)
if (program === undefined || version === undefined) throw new Error('name a program and its version')

const place = temporaryDirectory()
const launch = {
  program: resolve(program),
  data: place.path,
  environment: { BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET, BILLHOOK_LOG: 'warn' },
}
try {
  let service = await ServiceProcess.launch(launch)
  await History.play(service.url)
  await service.end('SIGTERM')
  // What the version itself answers after a restart.
  service = await ServiceProcess.launch(launch)
  const answers = await readAnswers((path) => ask('GET', `${service.url}${path}`))
  const receiver = await History.begin(service.url)
  await service.end('SIGKILL')
  await receiver.close()
  const write = (name: string, bytes: Buffer) =>
    writeFileSync(join(projectRoot, 'test/upgrade/data', `${version}.${name}.gz`), gzipSync(bytes, { level: 9 }))
  write('mdb', readFileSync(join(place.path, 'data.mdb')))
  write('json', Buffer.from(JSON.stringify(answers, null, 1)))
} finally {
  place.remove()
}
