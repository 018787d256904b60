import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DCLinter } from 'dclint'
import { validate } from 'dockerfile-utils'
import { parse } from 'yaml'
import { DRAIN_TIMEOUT_MS } from '../../src/cli/serve.js'
import { readSettings } from '../../src/config.js'
import { startWarnings } from '../../src/service/start-warnings.js'
import { VERSION } from '../../src/version.js'
import { productionEnvironment } from '../support/production.js'
import { projectRoot } from '../support/project-root.js'

const composeFile = join(projectRoot, 'deploy/container/compose.yaml')
const dockerfile = readFileSync(join(projectRoot, 'deploy/container/Dockerfile'), 'utf8')

interface Compose {
  readonly services: {
    readonly billhook: {
      readonly image: string
      readonly environment: Readonly<Record<string, string>>
      readonly ports: readonly string[]
      readonly user: string
      readonly tmpfs: readonly [string]
      readonly secrets: readonly [string]
      readonly stop_grace_period: string
    }
  }
  readonly networks: {
    readonly billhook: { readonly ipam: { readonly config: readonly [{ readonly gateway: string }] } }
  }
}

const { services, networks }: Compose = parse(readFileSync(composeFile, 'utf8'))
const service = services.billhook

/** The arguments of an instruction, whose continued lines are one. */
function instruction(name: string): string {
  const match = new RegExp(`^${name} (.*)$`, 'm').exec(dockerfile.replace(/ \\\n\s*/g, ' '))
  return match?.[1] ?? assert.fail(`there is no ${name}`)
}

describe('the container files', () => {
  test('satisfy their linters, and compose its schema', () => {
    assert.deepEqual(validate(dockerfile), [])
    // Biome, which formats the file, writes double quotes.
    const rules = { 'require-quotes-in-ports': [2, { quoteType: 'double' }] } as const
    const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] })
    const [result, ...others] = linter.lintFiles([composeFile], false)
    assert.deepEqual(others, [])
    assert.deepEqual(result?.messages, [])
  })

  test('pin the base image by its digest, and name this version', () => {
    assert.match(instruction('FROM'), /^debian:bookworm-\d{8}-slim@sha256:[0-9a-f]{64}$/)
    assert.equal(service.image, `billhook:${VERSION}`)
    assert.ok(dockerfile.includes(`--tag billhook:${VERSION} `))
  })

  test('wait for as long as a stop takes', () => {
    const [, seconds] = /^(\d+)s$/.exec(service.stop_grace_period) ?? []
    assert.ok(Number(seconds) * 1000 > DRAIN_TIMEOUT_MS)
  })

  test('agree about the user', () => {
    const [uid, gid] = instruction('USER').split(':')
    assert.notEqual(Number(uid), 0)
    assert.equal(service.user, `${uid}:${gid}`)
    assert.ok(service.tmpfs[0].includes(`,uid=${uid},gid=${gid},`))
    assert.ok(instruction('RUN').includes(`groupadd --gid ${gid} billhook && useradd --uid ${uid} `))
  })

  test('give the service settings with which it starts without a warning', () => {
    const image = Object.fromEntries(
      instruction('ENV')
        .split(' ')
        .map((pair) => pair.split('=')),
    )
    const { RUNTIME_DIRECTORY, BILLHOOK_GATEWAY_SECRET_FILE, ...settings } = service.environment
    assert.equal(BILLHOOK_GATEWAY_SECRET_FILE, `/run/secrets/${service.secrets[0]}`)
    assert.ok(service.tmpfs[0].startsWith(`${RUNTIME_DIRECTORY}:exec,`))
    const read = readSettings([], { ...image, ...productionEnvironment, BILLHOOK_METRICS_PORT: '9464', ...settings })
    assert.ok('settings' in read, JSON.stringify(read))
    const { host, port, metricsHost, metricsPort, dataDirectory, trustedProxies } = read.settings
    assert.deepEqual(startWarnings(read.settings, false), [])
    assert.deepEqual([host, metricsHost], ['0.0.0.0', '0.0.0.0'])
    assert.deepEqual(service.ports, [`127.0.0.1:${port}:${port}`, `127.0.0.1:${metricsPort}:${metricsPort}`])
    assert.equal(instruction('EXPOSE'), String(port))
    assert.equal(instruction('VOLUME'), JSON.stringify([dataDirectory]))
    assert.deepEqual(trustedProxies, [`${networks.billhook.ipam.config[0].gateway}/32`])
  })
})
