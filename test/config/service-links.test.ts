import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { settingEntries } from '../../src/config/schema.js'
import { fileVariableOf } from '../../src/config/secret-files.js'
import { isServiceLink } from '../../src/config/service-links.js'
import { variableOf } from '../../src/config/setting.js'
import { readSettings } from '../../src/config.js'
import { startWarnings } from '../../src/service/start-warnings.js'

/** What Kubernetes sets in a pod for a Service, by the rules of its documentation. */
function linksOf(service: string, ports: readonly (readonly [name: string, port: number, protocol: string])[]) {
  const prefix = service.toUpperCase().replaceAll('-', '_')
  const address = '10.43.0.7'
  const url = ([, port, protocol]: (typeof ports)[number]) => `${protocol.toLowerCase()}://${address}:${port}`
  const first = ports[0] ?? assert.fail('a Service has a port')
  return {
    [`${prefix}_SERVICE_HOST`]: address,
    [`${prefix}_SERVICE_PORT`]: String(first[1]),
    [`${prefix}_PORT`]: url(first),
    ...Object.fromEntries(
      ports.flatMap((port) => {
        const [name, number, protocol] = port
        const base = `${prefix}_PORT_${number}_${protocol}`
        return [
          [`${prefix}_SERVICE_PORT_${name.toUpperCase().replaceAll('-', '_')}`, String(number)],
          [base, url(port)],
          [`${base}_PROTO`, protocol.toLowerCase()],
          [`${base}_PORT`, String(number)],
          [`${base}_ADDR`, address],
        ]
      }),
    ),
  }
}

const services: readonly (readonly [string, Parameters<typeof linksOf>[1]])[] = [
  ['billhook', [['http', 8080, 'TCP']]],
  ['billhook-metrics', [['metrics', 9464, 'TCP']]],
  ['billhook-postgres', [['postgres', 5432, 'TCP']]],
  [
    'billhook-a-b-2',
    [
      ['web-ui', 80, 'TCP'],
      ['dns', 53, 'UDP'],
      ['s', 9, 'SCTP'],
    ],
  ],
]

describe('variables that Kubernetes sets for a Service', () => {
  for (const [service, ports] of services) {
    test(`are ignored, and named in one line: ${service}`, () => {
      const links = linksOf(service, ports)
      const read = readSettings([], { ...links, BILLHOOK_SANDBOX: 'on', KUBERNETES_PORT: 'tcp://10.43.0.1:443' })
      assert.ok('settings' in read, JSON.stringify(read))
      assert.deepEqual([read.settings.port, read.settings.metricsPort], [8080, undefined])
      assert.deepEqual(read.settings.serviceLinks, Object.keys(links).sort())
      const [warning = '', ...others] = startWarnings(read.settings, false)
      assert.deepEqual(others, [])
      for (const name of Object.keys(links)) assert.ok(warning.includes(name), name)
      assert.match(warning, /enableServiceLinks: false/)
    })
  }

  test('leave flags and settings of the same names alone', () => {
    const links = linksOf('billhook', [['http', 8080, 'TCP']])
    const flagged = readSettings([['--port', '9000']], links)
    assert.ok('settings' in flagged)
    assert.equal(flagged.settings.port, 9000)
    const named = readSettings([], { ...links, BILLHOOK_PORT: '9001', BILLHOOK_METRICS_PORT: '9464' })
    assert.ok('settings' in named)
    assert.deepEqual([named.settings.port, named.settings.metricsPort], [9001, 9464])
  })

  test('are not taken for a setting by their names alone', () => {
    const names = settingEntries.flatMap(([name, { about }]) => {
      const variable = variableOf(name, about)
      return [variable, fileVariableOf(variable)]
    })
    assert.deepEqual(
      names.filter((name) => isServiceLink(name, '1')),
      [],
    )
  })

  test('do not excuse what only looks similar', () => {
    for (const [name, value] of [
      ['BILLHOOK_PORT', 'http://10.43.0.7:8080'],
      ['BILLHOOK_PORT', 'tcp://10.43.0.7'],
      ['BILLHOOK_PORT_NUMBER', '8080'],
      ['BILLHOOK_PORTS', 'tcp://10.43.0.7:8080'],
      ['BILLHOOK_SERVICE', 'billhook'],
      ['BILLHOOK_SERVICE_HOSTS', '10.43.0.7'],
      ['BILLHOOK_HOST_PORT_8080', '8080'],
    ] as const) {
      const read = readSettings([], { [name]: value })
      assert.ok('problems' in read && read.problems[0]?.startsWith(`${name} `), `${name}=${value}`)
    }
  })
})
