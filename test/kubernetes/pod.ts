import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { environmentOf, type Manifest, type PodSpec, type Probe, podOf } from '../support/manifests.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { gatewayHeaders } from '../support/service-fixture.js'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.js'

const MS_PER_SECOND = 1000
const ANSWER_MS = 60_000
const LOOK_MS = 50
const binary = join(projectRoot, 'dist/bin/billhook-linux-x64')
const dockerfile = readFileSync(join(projectRoot, 'deploy/container/Dockerfile'), 'utf8')

/** What Kubernetes and the image add to the environment of every pod. */
const SURROUNDINGS = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/nonexistent',
  HOSTNAME: 'billhook-0',
  KUBERNETES_SERVICE_HOST: '10.43.0.1',
  KUBERNETES_SERVICE_PORT: '443',
  KUBERNETES_PORT: 'tcp://10.43.0.1:443',
}

/** Why pods cannot be run here, for `skip`; false where they can. */
export const podAbsence: string | false = absence()

function absence(): string | false {
  const missing = missingPrograms('unshare', 'nsenter', 'setpriv', 'chroot', 'mount')
  if (missing !== false) return missing
  if (!existsSync(binary)) return 'the single binary is not built (npm run build:binary)'
  const isPermitted = spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '--make-rprivate', '/']).status === 0
  return isPermitted && process.getuid?.() === 0 ? false : 'namespaces are not permitted'
}

export interface PodOptions {
  readonly manifests: readonly Manifest[]
  /** The contents of the Secret, by key. */
  readonly secret?: Readonly<Record<string, string>>
  /** What differs from the manifests: the ports, which this machine may use already, and times that a test need not wait. */
  readonly environment?: Readonly<Record<string, string>>
  /** The directory of this machine in which persistent volumes lie, by name. */
  readonly volumes: string
}

/**
 * The container of a pod, without Kubernetes: the command, the variables, the user, the volumes and the security context of the manifests,
 * on a root that cannot be written. The program is the single binary. It shares the network of the machine, and no seccomp profile holds it.
 */
export class Pod {
  private constructor(
    readonly spec: PodSpec,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly place: TemporaryDirectory,
    private readonly runtime: ChildProcess,
    private readonly output: { text: string },
  ) {}

  static start({ manifests, secret = {}, environment: other = {}, volumes }: PodOptions): Pod {
    const spec = podOf(manifests)
    const { command = entrypoint(), args = [] } = spec.containers[0]
    const environment = { ...SURROUNDINGS, ...imageEnvironment(), ...environmentOf(manifests), ...other }
    const place = temporaryDirectory()
    const root = join(place.path, 'root')
    mkdirSync(root)
    const mounts = join(place.path, 'mounts')
    writeFileSync(
      mounts,
      [...bind(binary, '/usr/local/bin/billhook'), ...volumeMounts(spec, secret, { place: place.path, volumes })].join(
        '\n',
      ),
    )
    const script = join(projectRoot, 'test/kubernetes/pod-root.sh')
    const runtime = spawn(
      'unshare',
      ['--mount', '--pid', '--fork', '--kill-child', 'sh', script, ...assignments(environment), ...command, ...args],
      {
        env: { PATH: process.env['PATH'], ROOT: root, MOUNTS: mounts, OWNER: String(spec.securityContext.runAsUser) },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const output = { text: '' }
    for (const stream of [runtime.stdout, runtime.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output.text += text
      })
    }
    return new Pod(spec, environment, place, runtime, output)
  }

  private get isRunning(): boolean {
    return this.runtime.exitCode === null && this.runtime.signalCode === null
  }

  get printed(): string {
    return this.output.text
  }

  /** The process 1 of the container, as this machine counts. */
  get pid(): number {
    const { pid } = this.runtime
    const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    return Number(child)
  }

  /** What the kernel says of process 1. */
  status(field: string): string {
    const text = readFileSync(`/proc/${this.pid}/status`, 'utf8')
    return new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(text)?.[1] ?? ''
  }

  /** A path in the container, as this machine reaches it. */
  path(inside: string): string {
    return `/proc/${this.pid}/root${inside}`
  }

  /** The answer to a probe, as the kubelet gets it. Null when there is none within its timeout. */
  async probe({ httpGet: { path }, timeoutSeconds }: Probe): Promise<number | null> {
    const signal = AbortSignal.timeout(timeoutSeconds * MS_PER_SECOND)
    const answer = fetch(`http://127.0.0.1:${this.environment['BILLHOOK_PORT']}${path}`, { signal })
    return answer.then(
      ({ status }) => status,
      () => null,
    )
  }

  /** A push of the gateway, through the port that the Service leads to. Answers its status. */
  async push(...events: readonly unknown[]): Promise<number> {
    const body = JSON.stringify({ events })
    const headers = gatewayHeaders(String(Date.now()), body)
    const url = `http://127.0.0.1:${this.environment['BILLHOOK_PORT']}/internal/events`
    return (await fetch(url, { method: 'POST', headers, body })).status
  }

  /** Resolves when the answer to a probe has this status. Throws what the container printed when it never has. */
  async answers(probe: Probe, status: number): Promise<void> {
    const until = Date.now() + ANSWER_MS
    while (this.isRunning && Date.now() < until) {
      if ((await this.probe(probe)) === status) return
      await sleep(LOOK_MS)
    }
    throw new Error(`${probe.httpGet.path} does not answer ${status}:\n${this.printed}`)
  }

  /** Resolves when process 1 is this program: the root is built, and left to it. */
  async runs(program: string): Promise<void> {
    const until = Date.now() + ANSWER_MS
    while (this.isRunning && Date.now() < until) {
      if (this.pid !== 0 && this.status('Name') === program) return
      await sleep(LOOK_MS)
    }
    throw new Error(`${program} does not run:\n${this.printed}`)
  }

  /** `kubectl exec`. */
  exec(...command: readonly string[]): {
    readonly status: number | null
    readonly stdout: string
    readonly stderr: string
  } {
    const owner = this.spec.securityContext.runAsUser
    const enter = ['--target', String(this.pid), '--mount', '--pid', '--root', '--wd']
    const drop = ['setpriv', `--reuid=${owner}`, `--regid=${owner}`, '--clear-groups']
    const flags = [...enter, ...drop, 'env', '-i', ...assignments(this.environment), ...command]
    return spawnSync('nsenter', flags, { encoding: 'utf8' })
  }

  /** Asks the container to end, and kills it when its grace period is over. Answers its exit code. */
  async end(): Promise<number | null> {
    const ended = once(this.runtime, 'close')
    const { pid } = this
    process.kill(pid, 'SIGTERM')
    const grace = setTimeout(
      () => process.kill(pid, 'SIGKILL'),
      this.spec.terminationGracePeriodSeconds * MS_PER_SECOND,
    )
    const [code]: (number | null)[] = await ended
    clearTimeout(grace)
    return code ?? null
  }

  async remove(): Promise<void> {
    if (this.isRunning) {
      const ended = once(this.runtime, 'close')
      this.runtime.kill('SIGKILL')
      await ended
    }
    this.place.remove()
  }
}

function assignments(environment: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(environment).map(([name, value]) => `${name}=${value}`)
}

function imageEnvironment(): Readonly<Record<string, string>> {
  const [, pairs = ''] = /^ENV (.*)$/m.exec(dockerfile.replace(/ \\\n\s*/g, ' ')) ?? []
  return Object.fromEntries(pairs.split(' ').map((pair) => pair.split('=')))
}

function entrypoint(): readonly string[] {
  const [, json = '[]'] = /^ENTRYPOINT (.*)$/m.exec(dockerfile) ?? []
  return JSON.parse(json)
}

function bind(source: string, target: string): readonly string[] {
  const make = statSync(source).isDirectory() ? `mkdir -p "$ROOT${target}"` : `: >"$ROOT${target}"`
  return [make, `mount --bind '${source}' "$ROOT${target}"`, `mount -o remount,bind,ro "$ROOT${target}"`]
}

/** The volumes as the kubelet prepares them: given to the group of the pod, which may write where it may. */
function volumeMounts(
  spec: PodSpec,
  secret: Readonly<Record<string, string>>,
  places: { place: string; volumes: string },
): readonly string[] {
  const { fsGroup } = spec.securityContext
  return spec.containers[0].volumeMounts.flatMap(({ name, mountPath }) => {
    const volume = spec.volumes.find((each) => each.name === name)
    const target = `"$ROOT${mountPath}"`
    const make = `mkdir -p ${target}`
    if (volume?.emptyDir?.medium === 'Memory') {
      const size = volume.emptyDir.sizeLimit.toLowerCase().replace('i', '')
      return [make, `mount -t tmpfs -o size=${size},mode=2777,gid=${fsGroup} ${name} ${target}`]
    }
    const isKept = volume?.emptyDir === undefined && volume?.secret === undefined
    const source = join(isKept ? places.volumes : places.place, `volume-${name}`)
    mkdirSync(source, { recursive: true })
    if (volume?.secret !== undefined) {
      for (const { key, path } of volume.secret.items) {
        const content = secret[key]
        if (content === undefined) throw new Error(`the Secret has no ${key}`)
        writeFileSync(join(source, path), content)
        chownSync(join(source, path), 0, fsGroup)
        chmodSync(join(source, path), volume.secret.defaultMode)
      }
      return bind(source, mountPath)
    }
    chownSync(source, 0, fsGroup)
    chmodSync(source, 0o2775)
    return [make, `mount --bind '${source}' ${target}`]
  })
}
