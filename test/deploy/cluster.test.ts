import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DCLinter } from 'dclint'
import { validate } from 'dockerfile-utils'
import { parse } from 'yaml'
import { readSettings } from '../../src/config.js'
import { startWarnings } from '../../src/service/start-warnings.js'
import { VERSION } from '../../src/version.js'
import { atMember, patroniSettings, withoutPatroni } from '../support/patroni-cluster.js'
import { productionEnvironment } from '../support/production.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const composeFile = join(projectRoot, 'deploy/cluster/compose.yaml')
const patroni = readFileSync(join(projectRoot, 'deploy/patroni/patroni.yml'), 'utf8')
const proxyFile = join(projectRoot, 'deploy/cluster/haproxy.cfg')
const dockerfile = readFileSync(join(projectRoot, 'deploy/cluster/Dockerfile'), 'utf8')

interface Service {
  readonly image: string
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly tmpfs?: readonly string[]
  readonly networks: { readonly cluster: { readonly ipv4_address: string } }
}

interface Compose {
  readonly services: Readonly<Record<'billhook-1' | 'billhook-2' | 'db1' | 'db2' | 'etcd' | 'proxy', Service>>
  readonly networks: {
    readonly cluster: { readonly ipam: { readonly config: readonly [{ readonly gateway: string }] } }
  }
}

const { services, networks }: Compose = parse(readFileSync(composeFile, 'utf8'), { merge: true })
const missingPatroni = withoutPatroni()

function addressOf(name: keyof Compose['services']): string {
  return services[name].networks.cluster.ipv4_address
}

describe('the example of Patroni', () => {
  test('promises what Billhook relies on', () => {
    const { dcs } = patroniSettings.bootstrap
    assert.equal(dcs.synchronous_mode, true)
    // Patroni's own rule, and the least that it takes.
    assert.ok(dcs.ttl >= dcs.loop_wait + 2 * dcs.retry_timeout)
    assert.ok(dcs.ttl >= 20)
    const { fsync, full_page_writes, synchronous_commit, max_connections } = dcs.postgresql.parameters
    assert.deepEqual([fsync, full_page_writes, synchronous_commit], ['on', 'on', 'on'])
    assert.ok(Number(max_connections) >= 3 * 2 * 8, 'eight for each service, and room')
  })

  test('is what the chaos program runs, at other places', { skip: missingPatroni }, () => {
    const places = { name: 'db2', port: 1, restPort: 2, etcdPort: 3, directory: '/nowhere' }
    const run = atMember(places)
    const { bootstrap, postgresql }: typeof patroniSettings = parse(run)
    assert.deepEqual(bootstrap, patroniSettings.bootstrap)
    assert.deepEqual(postgresql.authentication, patroniSettings.postgresql.authentication)
    assert.doesNotMatch(run.replace(/^ *#.*$/gm, ''), /10\.0\.0\.|\/var\//)
  })

  test('is valid to Patroni, but for what it says of addresses on loopback', { skip: missingPatroni }, () => {
    const place = temporaryDirectory()
    try {
      const path = join(place.path, 'patroni.yml')
      writeFileSync(path, atMember({ name: 'db1', port: 1, restPort: 2, etcdPort: 3, directory: place.path }))
      const { stdout, stderr } = spawnSync('patroni', ['--validate-config', path], { encoding: 'utf8' })
      const named = `${stdout}${stderr}`.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')[0]]))
      // It also asks for bootstrap.pg_hba, which postgresql.pg_hba overrides.
      const expected = ['bootstrap.pg_hba', 'etcd3.hosts', 'postgresql.connect_address', 'restapi.connect_address']
      assert.deepEqual(named.sort(), expected)
    } finally {
      place.remove()
    }
  })
})

describe('the cluster in containers', () => {
  test('satisfies the linters, and the schema of compose', () => {
    assert.deepEqual(validate(dockerfile), [])
    const rules = { 'require-quotes-in-ports': [2, { quoteType: 'double' }] } as const
    const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] })
    const [result, ...others] = linter.lintFiles([composeFile], false)
    assert.deepEqual(others, [])
    assert.deepEqual(result?.messages, [])
  })

  test('uses the images of this version, on the base of the service', () => {
    const base = (file: string) => /^FROM (.*)$/m.exec(file)?.[1]
    assert.equal(base(dockerfile), base(readFileSync(join(projectRoot, 'deploy/container/Dockerfile'), 'utf8')))
    for (const [name, { image }] of Object.entries(services)) {
      assert.equal(image, `${name.startsWith('billhook-') ? 'billhook' : 'billhook-cluster'}:${VERSION}`)
    }
  })

  test('gives both services settings with which they start without a warning', () => {
    const [first, second] = [services['billhook-1'], services['billhook-2']]
    assert.deepEqual(first.environment, second.environment)
    const { RUNTIME_DIRECTORY, BILLHOOK_GATEWAY_SECRET_FILE, BILLHOOK_STORE_FILE, ...settings } =
      first.environment ?? assert.fail('there are no settings')
    assert.deepEqual(
      first.secrets?.map((name) => `/run/secrets/${name}`),
      [BILLHOOK_GATEWAY_SECRET_FILE, BILLHOOK_STORE_FILE],
    )
    assert.ok(first.tmpfs?.[0]?.startsWith(`${RUNTIME_DIRECTORY}:exec,`))
    const store = `postgres://billhook:password@${addressOf('db1')}:5432,${addressOf('db2')}:5432/billhook`
    const environment = { ...productionEnvironment, BILLHOOK_METRICS_PORT: '9464', ...settings, BILLHOOK_STORE: store }
    const read = readSettings([], environment)
    assert.ok('settings' in read, JSON.stringify(read))
    assert.deepEqual(startWarnings(read.settings, false), [])
    const { trustedProxies } = read.settings
    assert.deepEqual(trustedProxies, [`${addressOf('proxy')}/32`, `${networks.cluster.ipam.config[0].gateway}/32`])
    assert.ok(readFileSync(join(projectRoot, 'deploy/README.md'), 'utf8').includes(store))
  })

  test('gives the members the addresses that the example of Patroni has', () => {
    assert.ok(patroni.includes(`connect_address: ${addressOf('db1')}:5432`))
    const { PATRONI_ETCD3_HOSTS, ...ofSecond } = services.db2.environment ?? {}
    assert.equal(PATRONI_ETCD3_HOSTS, `${addressOf('etcd')}:2379`)
    assert.deepEqual(services.db1.environment, { PATRONI_ETCD3_HOSTS })
    const addresses = { REST: `${addressOf('db2')}:8008`, POSTGRESQL: `${addressOf('db2')}:5432` }
    assert.deepEqual(ofSecond, {
      PATRONI_NAME: 'db2',
      PATRONI_RESTAPI_LISTEN: addresses.REST,
      PATRONI_RESTAPI_CONNECT_ADDRESS: addresses.REST,
      PATRONI_POSTGRESQL_LISTEN: addresses.POSTGRESQL,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: addresses.POSTGRESQL,
    })
  })

  test('has a proxy that asks both services whether they are ready', {
    skip: missingPrograms('haproxy'),
  }, () => {
    const text = readFileSync(proxyFile, 'utf8')
    for (const name of ['billhook-1', 'billhook-2'] as const) {
      assert.ok(text.includes(`server ${name} ${addressOf(name)}:8080\n`))
    }
    const checked = spawnSync('haproxy', ['-c', '-f', proxyFile], { encoding: 'utf8' })
    assert.equal(checked.status, 0, checked.stderr)
  })
})
