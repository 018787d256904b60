import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { absenceOf, missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'

/*
 * The programs of examples/snippets, and what this machine needs to run them. Those for TypeScript and browsers are modules,
 * which a test imports.
 */

const BOUNCY_CASTLE = '/usr/share/java/bcprov.jar'
export const SNIPPETS = join(projectRoot, 'examples/snippets')

type Command = readonly [program: string, ...args: string[]]

export interface Language {
  readonly name: string
  /** Why it cannot be run here; false if it can. */
  readonly missing: string | false
  /** Prepares the programs in a folder of its own, if they are compiled. */
  readonly compile?: (output: string) => readonly Command[]
  readonly environment?: Readonly<Record<string, string>>
  create(output: string): Command
  verify(output: string): Command
}

/** Nothing may be downloaded by a test. */
const GO_OFFLINE = { GOFLAGS: process.env['GOFLAGS'] ?? '-mod=mod', GOPROXY: 'off' }

export const LANGUAGES: readonly Language[] = [
  {
    name: 'shell',
    missing: missingPrograms('curl', 'openssl'),
    create: () => ['sh', 'shell/create-invoice.sh'],
    verify: () => ['sh', 'shell/verify-webhook.sh'],
  },
  {
    name: 'Python',
    missing: missingPrograms('python3') || missingModule(),
    create: () => ['python3', 'python/create_invoice.py'],
    verify: () => ['python3', 'python/verify_webhook.py'],
  },
  {
    name: 'PHP',
    missing: missingPrograms('php'),
    create: () => ['php', 'php/create-invoice.php'],
    verify: () => ['php', 'php/verify-webhook.php'],
  },
  {
    name: 'Java',
    missing: missingPrograms('java', 'javac') || (existsSync(BOUNCY_CASTLE) ? false : absenceOf('libbcprov-java')),
    compile: (output) => [
      ['javac', '-cp', BOUNCY_CASTLE, '-d', output, 'java/CreateInvoice.java', 'java/VerifyWebhook.java'],
    ],
    create: (output) => ['java', '-cp', `${BOUNCY_CASTLE}:${output}`, 'CreateInvoice'],
    verify: (output) => ['java', '-cp', output, 'VerifyWebhook'],
  },
  {
    name: 'Go',
    missing: missingPrograms('go') || missingGoModule(),
    environment: GO_OFFLINE,
    compile: (output) => [
      ['sh', '-c', 'cd go && exec go build -o "$0" ./create-invoice', join(output, 'create')],
      ['sh', '-c', 'cd go && exec go build -o "$0" ./verify-webhook', join(output, 'verify')],
    ],
    create: (output) => [join(output, 'create')],
    verify: (output) => [join(output, 'verify')],
  },
  {
    name: 'C#',
    missing: 'Debian has no .NET: the programs are shown, and were never run',
    create: () => ['dotnet'],
    verify: () => ['dotnet'],
  },
]

function missingModule(): string | false {
  const found = spawnSync('python3', ['-c', 'import cryptography'], { stdio: 'ignore' }).status === 0
  return found ? false : absenceOf('python3-cryptography')
}

function missingGoModule(): string | false {
  const listed = spawnSync('go', ['list', '-deps', './create-invoice'], {
    cwd: join(SNIPPETS, 'go'),
    env: { ...process.env, ...GO_OFFLINE },
    stdio: 'ignore',
  })
  return listed.status === 0 ? false : absenceOf('decred/dcrd/dcrec/secp256k1')
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program in the folder of the snippets, to its end. */
export async function run(
  [program, ...args]: Command,
  { environment = {}, input = '' }: { readonly environment?: Record<string, string>; readonly input?: string | Buffer },
): Promise<Ended> {
  const child = spawn(program, args, { cwd: SNIPPETS, env: { ...process.env, ...environment } })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  }
  child.stdin.on('error', () => {}).end(input)
  const [code] = await once(child, 'close')
  return { code, ...written }
}
