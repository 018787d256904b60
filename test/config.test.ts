import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { settingEntries } from '../src/config/schema.js'
import { variableOf } from '../src/config/setting.js'
import { type Environment, readSettings, type Settings } from '../src/config.js'

const MACHINE = { cores: 8 }
/** By flag, as the command line gives them. */
type Flags = readonly (readonly [flag: string, value: string])[]

const EVM_TOKEN = '0xaA8E23Fb1079EA71e0a56F48a2aA51851D8433D0'
const TRON_TOKEN = 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'
const OTHER_EVM_TOKEN = '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238'
const OTHER_TRON_TOKEN = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

function accepted(flags: Flags, environment: Environment = {}): Settings {
  const outcome = readSettings(flags, environment, [], MACHINE)
  assert.ok('settings' in outcome, `refused: ${JSON.stringify(outcome)}`)
  return outcome.settings
}

function problems(flags: Flags, environment: Environment = {}): readonly string[] {
  const outcome = readSettings(flags, environment, [], MACHINE)
  assert.ok('problems' in outcome, 'accepted')
  return outcome.problems
}

describe('settings', () => {
  test('have the documented defaults', () => {
    assert.deepEqual(accepted([]), {
      host: '127.0.0.1',
      port: 8080,
      dataDirectory: './data',
      store: 'lmdb',
      create: true,
      sandbox: false,
      sandboxLedger: 'quiet',
      gatewaySecrets: [],
      verifyThreads: 7,
      verifyEngine: 'auto',
      keyTables: 256,
      httpServer: 'auto',
      metricsHost: '127.0.0.1',
      consoleHosts: [],
      logLevel: 'info',
      corsOrigins: [],
      sharedWallets: true,
      mixedNative: true,
      networkEntries: [],
      serviceLinks: [],
      rates: { kind: 'off' },
      ratesMaxAgeSeconds: 600,
      ratesJump: 1000,
      ratesSpread: 0,
      ratesPollSeconds: 60,
      ratesAllow: [],
      callbackAllow: [],
      webhookConcurrency: 256,
      webhookConcurrencyPerDestination: 16,
      webhookAttempts: 1,
      pageFrameAncestors: [],
      unsigned: 'on',
      strict: false,
      app: true,
      rateLimitClaims: 0,
      trustedProxies: [],
      walletLeaseSeconds: 600,
      keepDays: 400,
      eventsDays: 30,
      orderExpirySeconds: 900,
      priceDecimals: ['2', '6'],
      lateDays: 30,
      underpayment: 0,
      backupEvery: 24,
      backupKeep: 7,
      sepTokenDecimals: 6,
      sepTokens: [],
      trxNileTokens: [],
      trxNileTokenDecimals: 6,
      sepUrls: [],
      sepChainId: 11_155_111,
      sepConfirmations: 12,
      sepStart: 'latest',
      sepPollMs: 4000,
      sepBatch: 50,
      sepRange: 200,
      sepExplorer: 'https://sepolia.etherscan.io/tx/{txHash}',
      trxNileUrls: [],
      trxNileGenesis: '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc',
      trxNileStart: 'latest',
      trxNilePollMs: 7000,
      trxNileExplorer: 'https://nile.tronscan.org/#/transaction/{txHash}',
      skipAfter: 900,
      nodeTimeoutMs: 15_000,
      watchLagSeconds: 300,
      drainSeconds: 0,
      ledgerUrls: [],
      ledgerStoreUrls: [],
      ledgerTimeoutMs: 5000,
      ledgerFollow: [],
      ledgerNodes: [],
      ledgerContracts: [],
      ledgerFollowFrom: 0,
      ledgerPollMs: 2000,
      ledgerOverlapSeconds: 600,
    })
  })

  test('are frozen, lists included', () => {
    const settings = accepted([], { BILLHOOK_CORS_ORIGINS: 'https://shop.example' })
    assert.ok(Object.isFrozen(settings))
    assert.ok(Object.isFrozen(settings.corsOrigins))
    assert.ok(Object.isFrozen(settings.ledgerUrls))
  })

  test('come from the environment', () => {
    const settings = accepted([], {
      BILLHOOK_HOST: '::1',
      BILLHOOK_PORT: '0',
      BILLHOOK_DATA: '/var/lib/billhook',
      BILLHOOK_STORE: 'lmdb',
      BILLHOOK_CREATE: 'off',
      BILLHOOK_PUBLIC_URL: 'https://pay.example/billhook',
      BILLHOOK_GATEWAY_SECRET: '0123456789abcdef',
      BILLHOOK_VERIFY_THREADS: '256',
      BILLHOOK_VERIFY_ENGINE: 'noble',
      BILLHOOK_KEY_TABLES: '0',
      BILLHOOK_HTTP: 'node',
      BILLHOOK_URL: 'https://pay.example/billhook/',
      BILLHOOK_KEY_FILE: 'api.pem',
      BILLHOOK_OWNER: 'shop',
      BILLHOOK_METRICS_PORT: '0',
      BILLHOOK_METRICS_HOST: '::1',
      BILLHOOK_CONSOLE_PASSWORD: 'sixteen or more.',
      BILLHOOK_CONSOLE_HOSTS: 'ops.example, console.internal',
      BILLHOOK_LOG: 'silent',
      BILLHOOK_CORS_ORIGINS: 'https://a.example, http://b.example:8080',
      BILLHOOK_CALLBACK_ALLOW: '10.0.0.0/8,fd00::/8',
      BILLHOOK_RATES: 'https://rates.example/v1?key=k',
      BILLHOOK_RATES_MAX_AGE_SECONDS: '86400',
      BILLHOOK_RATES_JUMP: '2.5',
      BILLHOOK_RATES_SPREAD: '0.75',
      BILLHOOK_RATES_POLL_SECONDS: '5',
      BILLHOOK_RATES_ALLOW: '10.0.0.0/8',
      BILLHOOK_UNSIGNED: 'same-origin',
      BILLHOOK_APP: 'off',
      BILLHOOK_STRICT: 'on',
      BILLHOOK_ONBOARDING_NAME: 'acme.onboarding',
      BILLHOOK_RATE_LIMIT: '60000',
      BILLHOOK_RATE_LIMIT_CLAIMS: '5',
      BILLHOOK_CLAIMS_PER_ADDRESS: '10000',
      BILLHOOK_SHARED_WALLETS: 'off',
      BILLHOOK_MIXED_NATIVE: 'off',
      BILLHOOK_INVOICE_EXPIRY_SECONDS: '31536000',
      BILLHOOK_TRUSTED_PROXIES: '127.0.0.1/32, fd00::/8',
      BILLHOOK_PAGE_NAME: 'Tea House',
      BILLHOOK_PAGE_LOGO: 'logo.svg',
      BILLHOOK_PAGE_ACCENT: '#0A58ca',
      BILLHOOK_PAGE_RETURN_URL: 'https://shop.example/cart?a=1#b',
      BILLHOOK_PAGE_SUPPORT: 'mailto:help@shop.example',
      BILLHOOK_PAGE_FRAME_ANCESTORS: 'https://shop.example, http://localhost:5173',
      BILLHOOK_WALLET_LEASE_SECONDS: '1',
      BILLHOOK_KEEP_DAYS: '30',
      BILLHOOK_EVENTS_DAYS: '90',
      BILLHOOK_ORDER_EXPIRY_SECONDS: '60',
      BILLHOOK_PRICE_DECIMALS: '0, 18',
      BILLHOOK_LATE_DAYS: '0',
      BILLHOOK_UNDERPAYMENT: '2.5',
      BILLHOOK_BACKUP_DIR: '/backup',
      BILLHOOK_BACKUP_EVERY: '6',
      BILLHOOK_BACKUP_KEEP: '3',
      BILLHOOK_SEP_TOKEN_DECIMALS: '0',
      BILLHOOK_TRX_NILE_TOKEN_DECIMALS: '18',
      BILLHOOK_SEP_URLS: 'https://user:word@a.example/v2/key?k=1, http://10.0.0.1:8545',
      BILLHOOK_SEP_CHAIN_ID: '31337',
      BILLHOOK_SEP_TOKEN: EVM_TOKEN,
      BILLHOOK_SEP_TOKENS: `USDC:${OTHER_EVM_TOKEN}:6, DAI:${OTHER_EVM_TOKEN.replace('b', 'c')}:18`,
      BILLHOOK_SEP_CONFIRMATIONS: 'safe',
      BILLHOOK_SEP_START: '0',
      BILLHOOK_SEP_POLL_MS: '100',
      BILLHOOK_SEP_BATCH: '1',
      BILLHOOK_SEP_RANGE: '10000',
      BILLHOOK_SEP_EXPLORER: 'https://explorer.example:8443/tx/{txHash}?net=sepolia#top',
      BILLHOOK_TRX_NILE_URLS: 'https://nile.example',
      BILLHOOK_TRX_NILE_API_KEY: 'key',
      BILLHOOK_TRX_NILE_GENESIS: 'ab'.repeat(32),
      BILLHOOK_TRX_NILE_TOKEN: TRON_TOKEN,
      BILLHOOK_TRX_NILE_TOKENS: `USDC:${OTHER_TRON_TOKEN}:6`,
      BILLHOOK_TRX_NILE_START: '140737488355328',
      BILLHOOK_TRX_NILE_POLL_MS: '600000',
      BILLHOOK_TRX_NILE_EXPLORER: 'off',
      BILLHOOK_SKIP_AFTER: '0',
      BILLHOOK_NODE_TIMEOUT_MS: '120000',
      BILLHOOK_WATCH_LAG_SECONDS: '1',
      BILLHOOK_TLS_CERT: 'tls/cert.pem',
      BILLHOOK_TLS_KEY: 'tls/key.pem',
      BILLHOOK_LOG_LEVEL_FILE: '/run/level',
      BILLHOOK_DRAIN_SECONDS: '600',
      BILLHOOK_LEDGER_URL: 'http://10.1.0.1:5261,https://ledger.example/core',
      BILLHOOK_LEDGER_TIMEOUT_MS: '60000',
      BILLHOOK_LEDGER_STORE_URL: 'http://10.1.0.1:5259,http://10.1.0.2:5259',
      BILLHOOK_LEDGER_FOLLOW: 'onboard=shop/3f2a, assign=shop/9be1',
      BILLHOOK_LEDGER_NODES: 'http://10.1.0.1:5260,https://ledger.example/node',
      BILLHOOK_LEDGER_CONTRACTS: 'onboard=shop/3f2a,assign=shop/9be1',
      BILLHOOK_LEDGER_FOLLOW_FROM: '1700000000000',
      BILLHOOK_LEDGER_POLL_MS: '100',
      BILLHOOK_LEDGER_OVERLAP_SECONDS: '86400',
      BILLHOOK_WEBHOOK_CONCURRENCY: '4096',
      BILLHOOK_WEBHOOK_CONCURRENCY_PER_DESTINATION: '1',
      BILLHOOK_WEBHOOK_ATTEMPTS: '20',
    })
    assert.deepEqual(settings, {
      host: '::1',
      port: 0,
      dataDirectory: '/var/lib/billhook',
      store: 'lmdb',
      create: false,
      publicUrl: 'https://pay.example/billhook',
      gatewaySecrets: ['0123456789abcdef'],
      sandbox: false,
      sandboxLedger: 'quiet',
      verifyThreads: 256,
      verifyEngine: 'noble',
      keyTables: 0,
      httpServer: 'node',
      url: 'https://pay.example/billhook',
      keyFile: 'api.pem',
      owner: 'shop',
      metricsPort: 0,
      metricsHost: '::1',
      consolePassword: 'sixteen or more.',
      consoleHosts: ['ops.example', 'console.internal'],
      logLevel: 'silent',
      corsOrigins: ['https://a.example', 'http://b.example:8080'],
      callbackAllow: ['10.0.0.0/8', 'fd00::/8'],
      rates: { kind: 'https', url: 'https://rates.example/v1?key=k' },
      ratesMaxAgeSeconds: 86_400,
      ratesJump: 250,
      ratesSpread: 75,
      ratesPollSeconds: 5,
      ratesAllow: ['10.0.0.0/8'],
      unsigned: 'same-origin',
      app: false,
      strict: true,
      onboardingName: 'acme.onboarding',
      rateLimit: 60_000,
      rateLimitClaims: 5,
      claimsPerAddress: 10_000,
      trustedProxies: ['127.0.0.1/32', 'fd00::/8'],
      pageName: 'Tea House',
      pageLogo: 'logo.svg',
      pageAccent: '#0A58ca',
      pageReturnUrl: 'https://shop.example/cart?a=1#b',
      pageSupport: 'mailto:help@shop.example',
      pageFrameAncestors: ['https://shop.example', 'http://localhost:5173'],
      walletLeaseSeconds: 1,
      keepDays: 30,
      eventsDays: 90,
      orderExpirySeconds: 60,
      priceDecimals: ['0', '18'],
      lateDays: 0,
      underpayment: 250,
      backupDir: '/backup',
      backupEvery: 6,
      backupKeep: 3,
      sharedWallets: false,
      mixedNative: false,
      networkEntries: [],
      serviceLinks: [],
      invoiceExpirySeconds: 31_536_000,
      sepTokenDecimals: 0,
      trxNileTokenDecimals: 18,
      sepUrls: ['https://user:word@a.example/v2/key?k=1', 'http://10.0.0.1:8545'],
      sepChainId: 31_337,
      sepToken: EVM_TOKEN,
      sepTokens: [`USDC:${OTHER_EVM_TOKEN}:6`, `DAI:${OTHER_EVM_TOKEN.replace('b', 'c')}:18`],
      sepConfirmations: 'safe',
      sepStart: 0,
      sepPollMs: 100,
      sepBatch: 1,
      sepRange: 10_000,
      sepExplorer: 'https://explorer.example:8443/tx/{txHash}?net=sepolia#top',
      trxNileUrls: ['https://nile.example'],
      trxNileApiKey: 'key',
      trxNileGenesis: 'ab'.repeat(32),
      trxNileToken: TRON_TOKEN,
      trxNileTokens: [`USDC:${OTHER_TRON_TOKEN}:6`],
      trxNileStart: 140_737_488_355_328,
      trxNilePollMs: 600_000,
      trxNileExplorer: null,
      skipAfter: 0,
      nodeTimeoutMs: 120_000,
      watchLagSeconds: 1,
      tlsCert: 'tls/cert.pem',
      tlsKey: 'tls/key.pem',
      logLevelFile: '/run/level',
      drainSeconds: 600,
      ledgerUrls: ['http://10.1.0.1:5261', 'https://ledger.example/core'],
      ledgerTimeoutMs: 60_000,
      ledgerStoreUrls: ['http://10.1.0.1:5259', 'http://10.1.0.2:5259'],
      ledgerFollow: ['onboard=shop/3f2a', 'assign=shop/9be1'],
      ledgerNodes: ['http://10.1.0.1:5260', 'https://ledger.example/node'],
      ledgerContracts: ['onboard=shop/3f2a', 'assign=shop/9be1'],
      ledgerFollowFrom: 1_700_000_000_000,
      ledgerPollMs: 100,
      ledgerOverlapSeconds: 86_400,
      webhookConcurrency: 4096,
      webhookConcurrencyPerDestination: 1,
      webhookAttempts: 20,
    })
  })

  test('base addresses lose their trailing slash, so that a path can be appended', () => {
    const settings = accepted([], {
      BILLHOOK_PUBLIC_URL: 'https://pay.example/',
      BILLHOOK_LEDGER_URL: 'http://a.example/core//, http://b.example',
    })
    assert.equal(settings.publicUrl, 'https://pay.example')
    assert.deepEqual(settings.ledgerUrls, ['http://a.example/core', 'http://b.example'])
  })

  test('at least one thread verifies, and never more than the limit', () => {
    for (const [cores, threads] of [
      [1, 1],
      [2, 1],
      [3, 2],
      [1024, 256],
    ] as const) {
      const outcome = readSettings([], {}, [], { cores })
      assert.ok('settings' in outcome)
      assert.equal(outcome.settings.verifyThreads, threads)
    }
  })

  test('a flag wins over the environment, also over a malformed value there', () => {
    assert.equal(accepted([['--port', '9001']], { BILLHOOK_PORT: '9002' }).port, 9001)
    assert.equal(accepted([['--port', '9001']], { BILLHOOK_PORT: 'x' }).port, 9001)
    assert.equal(accepted([['--sandbox', 'on']], { BILLHOOK_SANDBOX: 'off' }).sandbox, true)
  })

  test('an empty environment variable counts as unset', () => {
    assert.deepEqual(
      accepted([], { BILLHOOK_PORT: '', BILLHOOK_GATEWAY_SECRET: '', BILLHOOK_UNHEARD_OF: '' }),
      accepted([]),
    )
  })

  test('variables of other programs do not matter', () => {
    assert.deepEqual(accepted([], { PORT: 'x', HOST: '', billhook_port: 'x', MY_BILLHOOK_PORT: '1' }), accepted([]))
  })
})

describe('problems with settings', () => {
  test('are all reported at once, one line each', () => {
    assert.deepEqual(
      problems([['--port', '65536']], {
        BILLHOOK_LOG: 'loud',
        BILLHOOK_TYPO: '1',
        BILLHOOK_LEDGER_URL: 'ledger.example',
        BILLHOOK_SANDBOX: 'on',
      }),
      [
        'BILLHOOK_TYPO is not a setting; see billhook --help.',
        '--port must be an integer from 0 to 65535, not "65536".',
        'BILLHOOK_LEDGER_URL must be a comma-separated list of absolute http or https URLs without query, fragment or credentials, not "ledger.example".',
        'BILLHOOK_LOG must be one of trace, debug, info, warn, error, fatal, silent, not "loud".',
        'BILLHOOK_LEDGER_URL names a real ledger, which the sandbox never uses: unset it or switch the sandbox off.',
      ],
    )
  })

  test('a flag with an empty or negative value is reported', () => {
    assert.deepEqual(problems([['--port', '']]), ['--port must be an integer from 0 to 65535, not "".'])
    assert.deepEqual(problems([['--port', '-1']]), ['--port must be an integer from 0 to 65535, not "-1".'])
  })

  test('never repeat a secret', () => {
    const [line, ...rest] = problems([], { BILLHOOK_GATEWAY_SECRET: 'hunter2' })
    assert.deepEqual(rest, [])
    assert.equal(
      line,
      'BILLHOOK_GATEWAY_SECRET must be at least 16 characters long and without a comma, or two such secrets with a comma between them.',
    )
    const [url] = problems([], { BILLHOOK_LEDGER_URL: 'https://user:hunter2@ledger.example' })
    assert.ok(url !== undefined && !url.includes('hunter2'), url)
  })

  test('stay one line, and short, whatever the value', () => {
    for (const value of ['a\nb', '\u001b[2J', 'x'.repeat(100_000)]) {
      const [line, ...rest] = problems([['--host', value]])
      assert.deepEqual(rest, [])
      assert.ok(line !== undefined && line.length < 300 && !/\p{Cc}/u.test(line), line)
    }
  })

  test('the sandbox is refused together with a real ledger, however it is switched on', () => {
    const expected =
      'BILLHOOK_LEDGER_URL names a real ledger, which the sandbox never uses: unset it or switch the sandbox off.'
    const ledger = { BILLHOOK_LEDGER_URL: 'https://ledger.example' }
    assert.deepEqual(problems([['--sandbox', 'on']], ledger), [expected])
    assert.deepEqual(problems([], { ...ledger, BILLHOOK_SANDBOX: 'on' }), [expected])
    assert.deepEqual(accepted([], ledger).ledgerUrls, ['https://ledger.example'])
  })

  test('the kind of the simulated ledger is for a sandbox', () => {
    const real = { BILLHOOK_SANDBOX_LEDGER: 'real' }
    assert.deepEqual(problems([], real), ['BILLHOOK_SANDBOX_LEDGER needs --sandbox.'])
    assert.equal(accepted([['--sandbox', 'on']], real).sandboxLedger, 'real')
  })

  test('a contract is one token', () => {
    const token = { BILLHOOK_SEP_TOKEN: EVM_TOKEN }
    assert.deepEqual(problems([], { ...token, BILLHOOK_SEP_TOKENS: `USDC:${EVM_TOKEN.toLowerCase()}:6` }), [
      'BILLHOOK_SEP_TOKENS has the contract of BILLHOOK_SEP_TOKEN, and a contract is one token.',
    ])
    accepted([], { ...token, BILLHOOK_SEP_TOKENS: `USDC:${OTHER_EVM_TOKEN}:6` })
  })

  test('a network is watched with its token only, and never in the sandbox', () => {
    const sep = { BILLHOOK_SEP_URLS: 'http://127.0.0.1:8545' }
    const nile = { BILLHOOK_TRX_NILE_URLS: 'http://127.0.0.1:8090' }
    const tokens = { BILLHOOK_SEP_TOKEN: EVM_TOKEN, BILLHOOK_TRX_NILE_TOKEN: TRON_TOKEN }
    assert.deepEqual(problems([], { ...sep, ...nile }), [
      'BILLHOOK_SEP_URLS needs BILLHOOK_SEP_TOKEN.',
      'BILLHOOK_TRX_NILE_URLS needs BILLHOOK_TRX_NILE_TOKEN.',
    ])
    assert.deepEqual(accepted([], { ...sep, ...tokens }).sepUrls, ['http://127.0.0.1:8545'])
    assert.deepEqual(problems([['--sandbox', 'on']], { ...sep, ...nile, ...tokens }), [
      'BILLHOOK_SEP_URLS names nodes of a real network, which the sandbox simulates: unset it or switch the sandbox off.',
      'BILLHOOK_TRX_NILE_URLS names nodes of a real network, which the sandbox simulates: unset it or switch the sandbox off.',
    ])
  })

  test('addresses of nodes are never repeated, because they may hold keys', () => {
    for (const value of ['https://node.example/hunter2#', 'ftp://hunter2', 'hunter2', 'https://a.example,,hunter2']) {
      for (const name of ['BILLHOOK_SEP_URLS', 'BILLHOOK_TRX_NILE_URLS']) {
        const [line = '', ...rest] = problems([], { [name]: value })
        assert.ok(line.startsWith(`${name} must be a comma-separated list of`) && !line.includes('hunter2'), line)
        assert.ok(!rest.join('').includes('hunter2'))
      }
    }
    const [line] = problems([], { BILLHOOK_TRX_NILE_API_KEY: 'hunter2'.repeat(40) })
    assert.equal(line, 'BILLHOOK_TRX_NILE_API_KEY must be a text of 1 to 256 characters.')
  })

  test('pushed rates need the secret by which pushes are signed; other sources, and the sandbox, do not', () => {
    const [line, ...more] = problems([], { BILLHOOK_RATES: 'push' })
    assert.deepEqual(more, [])
    assert.match(line ?? '', /^BILLHOOK_RATES needs BILLHOOK_GATEWAY_SECRET, with which pushes are signed\.$/)
    accepted([], { BILLHOOK_RATES: 'push', BILLHOOK_GATEWAY_SECRET: '0123456789abcdef' })
    accepted([], { BILLHOOK_RATES: 'file:rates.json', BILLHOOK_SANDBOX: 'on' })
    const [secret = ''] = problems([], { BILLHOOK_RATES: 'https://user:secret@rates.example/' })
    assert.doesNotMatch(secret, /secret/)
  })

  test('a database is not backed up by the service', () => {
    const database = { BILLHOOK_STORE: 'postgres://db/billhook' }
    assert.equal(accepted([], database).store, 'postgres://db/billhook')
    assert.deepEqual(problems([], { ...database, BILLHOOK_BACKUP_DIR: '/backup' }), [
      'BILLHOOK_BACKUP_DIR is for the data directory: back up the database with its own tools.',
    ])
  })

  test('the logo and the link back need a name', () => {
    const name = { BILLHOOK_PAGE_NAME: 'Tea House' }
    const logo = { BILLHOOK_PAGE_LOGO: 'logo.svg' }
    assert.deepEqual(problems([], logo), ['BILLHOOK_PAGE_LOGO needs BILLHOOK_PAGE_NAME, for payers who do not see it.'])
    accepted([], { ...logo, ...name })
    const [back] = problems([], { BILLHOOK_PAGE_RETURN_URL: 'https://shop.example' })
    assert.equal(back, 'BILLHOOK_PAGE_RETURN_URL needs BILLHOOK_PAGE_NAME, for the words of the link.')
    for (const url of ['https://shop.example', 'http://localhost:5173/a', 'http://127.0.0.1', 'http://[::1]:80/']) {
      accepted([], { ...name, BILLHOOK_PAGE_RETURN_URL: url })
    }
  })

  test('HTTPS needs a certificate and its key', () => {
    assert.deepEqual(problems([], { BILLHOOK_TLS_CERT: 'a' }), ['BILLHOOK_TLS_CERT needs BILLHOOK_TLS_KEY.'])
    assert.deepEqual(problems([], { BILLHOOK_TLS_KEY: 'a' }), ['BILLHOOK_TLS_KEY needs BILLHOOK_TLS_CERT.'])
  })

  test('following the ledger needs its read API, contracts, and for onboardings their name', () => {
    const url = { BILLHOOK_LEDGER_URL: 'http://a.example' }
    const store = { BILLHOOK_LEDGER_STORE_URL: 'http://b.example' }
    const assign = { BILLHOOK_LEDGER_FOLLOW: 'assign=shop/9be1' }
    const onboard = { BILLHOOK_LEDGER_FOLLOW: 'onboard=shop/9be1' }
    assert.deepEqual(problems([], { ...url, ...store }), ['BILLHOOK_LEDGER_STORE_URL needs BILLHOOK_LEDGER_FOLLOW.'])
    assert.deepEqual(problems([], { ...store, ...assign }), ['BILLHOOK_LEDGER_STORE_URL needs BILLHOOK_LEDGER_URL.'])
    assert.deepEqual(problems([], { ...url, ...assign }), ['BILLHOOK_LEDGER_FOLLOW needs BILLHOOK_LEDGER_STORE_URL.'])
    assert.deepEqual(problems([], { ...url, ...store, ...onboard }), [
      'BILLHOOK_LEDGER_FOLLOW needs BILLHOOK_ONBOARDING_NAME.',
    ])
    accepted([], { ...url, ...store, ...assign })
    accepted([], { ...url, ...store, ...onboard, BILLHOOK_ONBOARDING_NAME: 'x' })
    assert.ok(
      problems([['--sandbox', 'on']], store).includes(
        'BILLHOOK_LEDGER_STORE_URL names a real ledger, which the sandbox never uses: unset it or switch the sandbox off.',
      ),
    )
  })

  test('telling clients of the ledger needs its nodes, one contract of each role, and the onboarding name', () => {
    const nodes = { BILLHOOK_LEDGER_NODES: 'http://a.example' }
    const name = { BILLHOOK_ONBOARDING_NAME: 'x' }
    const contracts = (value: string) => ({ BILLHOOK_LEDGER_CONTRACTS: value })
    const both = contracts('assign=shop/1,onboard=shop/2')
    assert.deepEqual(problems([], { ...nodes, ...name }), ['BILLHOOK_LEDGER_NODES needs BILLHOOK_LEDGER_CONTRACTS.'])
    assert.deepEqual(problems([], { ...nodes, ...both }), ['BILLHOOK_LEDGER_NODES needs BILLHOOK_ONBOARDING_NAME.'])
    assert.deepEqual(problems([], both), ['BILLHOOK_LEDGER_CONTRACTS needs BILLHOOK_LEDGER_NODES.'])
    for (const wrong of [
      'assign=shop/1',
      'assign=shop/1,assign=shop/2',
      'assign=shop/1,onboard=other/2',
      'assign=shop/1,onboard=shop/2,onboard=shop/3',
    ]) {
      assert.deepEqual(problems([], { ...nodes, ...name, ...contracts(wrong) }), [
        'BILLHOOK_LEDGER_CONTRACTS must name one onboard and one assign contract of one namespace.',
      ])
    }
    accepted([], { ...nodes, ...name, ...both })
  })

  test('strict mode needs the onboarding name of a real ledger, and the sandbox has its own', () => {
    const strict = { BILLHOOK_STRICT: 'on' }
    const name = { BILLHOOK_ONBOARDING_NAME: 'acme.onboarding' }
    assert.deepEqual(problems([], strict), [
      "BILLHOOK_STRICT needs BILLHOOK_ONBOARDING_NAME, the ledger's onboarding name.",
    ])
    assert.equal(accepted([], { ...strict, ...name }).strict, true)
    assert.equal(accepted([['--sandbox', 'on']], strict).strict, true)
    assert.deepEqual(problems([['--sandbox', 'on']], { ...strict, ...name }), [
      'BILLHOOK_ONBOARDING_NAME is for a real ledger; the sandbox has its own: unset it or switch the sandbox off.',
    ])
  })

  const malformed: Readonly<Record<string, readonly string[]>> = {
    BILLHOOK_HOST: [
      '[::1]',
      'a b',
      '127.1',
      '1.2.3.4.5',
      '-a.example',
      'a..b',
      'http://a',
      'a:80',
      'ü',
      'a'.repeat(64),
    ],
    BILLHOOK_PORT: ['-1', '+1', '1.0', '1e3', '0x50', ' 80', '80 ', '080', '65536', 'http', '9'.repeat(400)],
    BILLHOOK_DATA: ['a\0b'],
    BILLHOOK_STORE: ['LMDB', 'mysql://db/billhook', 'postgres:', 'postgres:///billhook', 'db1:5432/billhook'],
    BILLHOOK_CREATE: ['true', '1', 'Off', 'never'],
    BILLHOOK_SANDBOX: ['true', '1', 'On', 'yes'],
    BILLHOOK_SANDBOX_LEDGER: ['on', 'Real', 'noisy'],
    BILLHOOK_PUBLIC_URL: [
      'pay.example',
      '/pay',
      'ftp://pay.example',
      'http:pay.example',
      'http://',
      'https://pay.example/?a=1',
      'https://pay.example/#top',
      'https://user@pay.example',
      'https://pay.example/a b',
      'https://pay.example\\a',
      'https://pay.example:99999',
    ],
    BILLHOOK_GATEWAY_SECRET: ['123456789012345'],
    BILLHOOK_VERIFY_THREADS: ['0', '257', 'all'],
    BILLHOOK_VERIFY_ENGINE: ['openssl', 'AUTO'],
    BILLHOOK_KEY_TABLES: ['-1', '8193', 'all'],
    BILLHOOK_HTTP: ['express'],
    BILLHOOK_URL: ['pay.example', 'ftp://pay.example', 'https://a:b@pay.example', 'https://pay.example/?x'],
    BILLHOOK_KEY_FILE: ['a\0b'],
    BILLHOOK_OWNER: ['o'.repeat(129)],
    BILLHOOK_METRICS_PORT: ['-1', '65536', '80a', 'on'],
    BILLHOOK_METRICS_HOST: ['b@d', '127.1', '[::1]'],
    BILLHOOK_CONSOLE_PASSWORD: ['fifteen and no.'],
    BILLHOOK_CONSOLE_HOSTS: ['10.0.0.1', 'https://ops.example', 'a,,b'],
    BILLHOOK_LOG: ['INFO', 'verbose'],
    BILLHOOK_CORS_ORIGINS: [
      '*,https://a.example',
      'a.example',
      'https://a.example/',
      'https://a.example/path',
      'https://A.example',
      'https://a.example:443',
      'https://a.example,,https://b.example',
      'null',
      'https://*.example',
    ],
    BILLHOOK_CALLBACK_ALLOW: [
      '10.0.0.1',
      '10.0.0.0/33',
      '10/8',
      '0x0a.0.0.0/8',
      '::/129',
      '10.0.0.0/8,',
      '10.0.0.0/08',
      'a/8',
    ],
    BILLHOOK_UNSIGNED: ['true', 'same origin', 'ON'],
    BILLHOOK_APP: ['true', '1'],
    BILLHOOK_STRICT: ['true', '1'],
    BILLHOOK_ONBOARDING_NAME: ['n'.repeat(257)],
    BILLHOOK_RATE_LIMIT: ['-1', '60001', '10/s'],
    BILLHOOK_RATE_LIMIT_CLAIMS: ['-1', '60001', '1.5'],
    BILLHOOK_CLAIMS_PER_ADDRESS: ['-1', '10001', 'none'],
    BILLHOOK_SHARED_WALLETS: ['true', 'no'],
    BILLHOOK_MIXED_NATIVE: ['true', 'no'],
    BILLHOOK_NETWORKS: ['a\0b'],
    BILLHOOK_INVOICE_EXPIRY_SECONDS: ['59', '31536001', '0', 'never'],
    BILLHOOK_TRUSTED_PROXIES: ['127.0.0.1', 'loopback', '10.0.0.0/33', '10.0.0.0/8,'],
    BILLHOOK_PAGE_NAME: ['n'.repeat(61), ' ', 'Tea\nHouse', 'Tea\0House'],
    BILLHOOK_PAGE_LOGO: ['a\0b'],
    BILLHOOK_PAGE_ACCENT: ['blue', '#fff', '0a58ca', '#0a58cag', '#0a58ca;}', 'rgb(1, 2, 3)', '#0a58ca80'],
    BILLHOOK_PAGE_RETURN_URL: [
      'javascript:alert(1)',
      'JavaScript:alert(1)//https://a.example',
      'data:text/html,x',
      '//shop.example',
      '/cart',
      'shop.example',
      'http://shop.example',
      'http://127.evil.example',
      'http://localhost.evil.example',
      'https:shop.example',
      'https:///shop.example',
      'https://shop.example/a b',
      'https://shop.example\\@evil.example',
      'https://user:word@shop.example',
      'https://shop.example/\nx',
      `https://shop.example/${'a'.repeat(2048)}`,
    ],
    BILLHOOK_PAGE_SUPPORT: [
      'javascript:alert(1)',
      'help@shop.example',
      'mailto:',
      'mailto:a@b@c.example',
      'mailto:a@b.example,c@d.example',
      'mailto:a@b.example?subject=x',
      'mailto:<b>@b.example',
      'tel:',
      'tel:help',
      'tel:1;phone-context=x',
      'http://shop.example',
      'https://user@shop.example',
    ],
    BILLHOOK_PAGE_FRAME_ANCESTORS: [
      '*',
      "'self'",
      'https:',
      'shop.example',
      'https://shop.example/',
      'https://*.shop.example',
      "https://shop.example; script-src 'unsafe-inline'",
      'https://shop.example;script-src',
      'https://[::1]',
      "https://a'b.example",
      'https://a.example,,https://b.example',
      'https://a.example https://b.example',
    ],
    BILLHOOK_WALLET_LEASE_SECONDS: ['0', '604801', '10m'],
    BILLHOOK_KEEP_DAYS: ['29', '36501', 'ever'],
    BILLHOOK_EVENTS_DAYS: ['0', '36501', 'ever'],
    BILLHOOK_ORDER_EXPIRY_SECONDS: ['59', '31536001', 'never'],
    BILLHOOK_PRICE_DECIMALS: ['2', '2,6,8', '2,19', '-1,6', '2,', 'two,six'],
    BILLHOOK_LATE_DAYS: ['-1', '36501', 'ever'],
    BILLHOOK_UNDERPAYMENT: ['-1', '11', '10.01', '1%', 'abc', '.5', '1.', '0.001', '01', '1,5', '1e1', 'NaN'],
    BILLHOOK_BACKUP_DIR: ['\0'],
    BILLHOOK_BACKUP_EVERY: ['0', '8761', 'daily'],
    BILLHOOK_BACKUP_KEEP: ['0', '10001', 'all'],
    BILLHOOK_SEP_TOKEN_DECIMALS: ['-1', '19'],
    BILLHOOK_TRX_NILE_TOKEN_DECIMALS: ['19', '6.0'],
    BILLHOOK_SEP_URLS: ['a.example', 'ws://a.example', 'http://a.example#x', 'http://a.example,'],
    BILLHOOK_SEP_CHAIN_ID: ['0', '0xaa36a7', 'sepolia'],
    BILLHOOK_SEP_TOKENS: [
      'USDC',
      `USDC:${EVM_TOKEN}`,
      `usdc:${EVM_TOKEN}:6`,
      `USDT:${EVM_TOKEN}:6`,
      `NATIVE:${EVM_TOKEN}:6`,
      `USDC:${EVM_TOKEN}:19`,
      `USDC:${TRON_TOKEN}:6`,
      `USDC:${EVM_TOKEN}:6,`,
      `USDC:${EVM_TOKEN}:6,USDC:${OTHER_EVM_TOKEN}:6`,
      `USDC:${EVM_TOKEN}:6,DAI:${EVM_TOKEN.toLowerCase()}:6`,
      [...'ABCDEFGH'].map((letter, n) => `${letter}${letter}:${EVM_TOKEN.slice(0, -1)}${n}:6`).join(),
    ],
    BILLHOOK_TRX_NILE_TOKENS: [`USDC:${EVM_TOKEN}:6`, `USDT:${TRON_TOKEN}:6`],
    BILLHOOK_SEP_TOKEN: ['0x12', `${EVM_TOKEN}0`, EVM_TOKEN.slice(2), TRON_TOKEN],
    BILLHOOK_SEP_CONFIRMATIONS: ['0', '10001', 'latest', 'Finalized'],
    BILLHOOK_SEP_START: ['-1', '140737488355329', 'finalized', '0x10'],
    BILLHOOK_SEP_POLL_MS: ['99', '600001', '4s'],
    BILLHOOK_SEP_BATCH: ['0', '1001'],
    BILLHOOK_SEP_RANGE: ['0', '10001'],
    BILLHOOK_SEP_EXPLORER: [
      'none',
      'http://explorer.example/tx/{txHash}',
      'https://explorer.example/tx/',
      'https://explorer.example/tx/{tx}',
      'https://explorer.example/{txHash}/{txHash}',
      'https://{txHash}.example/tx/',
      'https://explorer.example?tx={txHash}',
      'https://user:word@explorer.example/tx/{txHash}',
      'https://explorer.example/tx/{txHash} ',
      'https://explorer.example:99999/tx/{txHash}',
      'javascript:alert(1)//{txHash}',
    ],
    BILLHOOK_TRX_NILE_URLS: [
      'nile.example',
      'grpc://nile.example',
      'http://a.example#x',
      ',http://a.example',
      'http://a.example|',
      'http://a.example|b.example',
      'http://a.example|http://b.example|http://c.example',
    ],
    BILLHOOK_TRX_NILE_API_KEY: ['k'.repeat(257)],
    BILLHOOK_TRX_NILE_GENESIS: ['ab', 'AB'.repeat(32), `0x${'ab'.repeat(32)}`],
    BILLHOOK_TRX_NILE_TOKEN: [EVM_TOKEN, `${TRON_TOKEN}a`, TRON_TOKEN.slice(1), TRON_TOKEN.replace('X', '0')],
    BILLHOOK_TRX_NILE_START: ['-1', '140737488355329', 'solid'],
    BILLHOOK_TRX_NILE_POLL_MS: ['99', '600001'],
    BILLHOOK_TRX_NILE_EXPLORER: ['on', 'OFF', 'https://nile.example/#/transaction/'],
    BILLHOOK_SKIP_AFTER: ['-1', '0.5', '2592001', 'never'],
    BILLHOOK_NODE_TIMEOUT_MS: ['0', '120001'],
    BILLHOOK_WATCH_LAG_SECONDS: ['0', '604801', '5m'],
    BILLHOOK_TLS_CERT: ['a\0b'],
    BILLHOOK_TLS_KEY: ['a\0b'],
    BILLHOOK_LOG_LEVEL_FILE: ['a\0b'],
    BILLHOOK_DRAIN_SECONDS: ['-1', '601', '5s'],
    BILLHOOK_LEDGER_URL: ['http://a.example,', 'ws://a.example', 'http://a.example?x'],
    BILLHOOK_LEDGER_TIMEOUT_MS: ['0', '60001', '5s'],
    BILLHOOK_LEDGER_STORE_URL: ['ledger.example', 'http://a.example?x'],
    BILLHOOK_LEDGER_FOLLOW: ['shop/3f2a', 'own=shop/3f2a', 'assign=3f2a', 'assign=shop/3f2a@1', 'assign=shop/a,'],
    BILLHOOK_LEDGER_NODES: ['ledger.example', 'http://a.example?x'],
    BILLHOOK_LEDGER_CONTRACTS: ['shop/3f2a', 'assign=3f2a'],
    BILLHOOK_LEDGER_FOLLOW_FROM: ['-1', '10000000000000', 'now'],
    BILLHOOK_LEDGER_POLL_MS: ['99', '600001'],
    BILLHOOK_LEDGER_OVERLAP_SECONDS: ['-1', '86401', '1.5'],
    BILLHOOK_RATES: [
      'on',
      'Push',
      'file',
      'file:',
      'file:a\0b',
      '/var/lib/rates.json',
      'http://rates.example/',
      'http://127.0.0.1.example/',
      'http://localhost.example',
      'http://user@localhost/',
      'https://user:word@rates.example/',
      'https://rates.example/#top',
      'https://rates.example/a b',
      'https://rates.example\\a',
      'https://',
      'ftp://rates.example/',
    ],
    BILLHOOK_RATES_MAX_AGE_SECONDS: ['29', '86401', '10m'],
    BILLHOOK_RATES_JUMP: ['-1', '1000.01', '10%', '1e1', '.5', '0.001'],
    BILLHOOK_RATES_SPREAD: ['-1', '100.01', '1,5', '0.001'],
    BILLHOOK_RATES_POLL_SECONDS: ['4', '3601', '0'],
    BILLHOOK_RATES_ALLOW: ['10.0.0.1', '*', '10.0.0.0/33'],
    BILLHOOK_WEBHOOK_CONCURRENCY: ['0', '4097'],
    BILLHOOK_WEBHOOK_CONCURRENCY_PER_DESTINATION: ['0', '4097'],
    BILLHOOK_WEBHOOK_ATTEMPTS: ['0', '21', '-1', '2.5', 'forever'],
  }
  for (const [name, values] of Object.entries(malformed)) {
    test(`${name} refuses what is malformed`, () => {
      for (const value of values) {
        const lines = problems([], { [name]: value })
        assert.equal(lines.length, 1, `${value}: ${lines}`)
        assert.ok(lines[0]?.startsWith(`${name} must be `), lines[0])
      }
    })
  }

  test('every setting has a table of malformed values', () => {
    const names = settingEntries.map(([name, { about }]) => variableOf(name, about))
    assert.deepEqual(Object.keys(malformed).sort(), names.sort())
  })

  const wellFormed: Readonly<Record<string, readonly string[]>> = {
    BILLHOOK_HOST: ['localhost', '0.0.0.0', '::', 'fe80::1%eth0', 'pay.example', 'a-b.c1', `${'a'.repeat(63)}.example`],
    BILLHOOK_PUBLIC_URL: [
      'http://localhost:8080',
      'HTTPS://pay.example',
      'https://[::1]:8443/a/b',
      'https://münchen.example',
    ],
    BILLHOOK_CORS_ORIGINS: ['*', 'http://localhost:5173', 'https://a.example, https://b.example'],
    BILLHOOK_CALLBACK_ALLOW: ['127.0.0.0/8', '::1/128', '0.0.0.0/0', '10.1.2.3/8', '192.168.0.0/16 , fd00::/8'],
    BILLHOOK_DATA: [' ', '../a b', 'ü'],
    BILLHOOK_RATES: [
      'off',
      'file:rates.json',
      'file:/var/lib/a b',
      'https://rates.example',
      'http://localhost:9000/rates',
      'http://127.0.0.1/?a=b',
      'http://[::1]:80',
    ],
    BILLHOOK_STORE: [
      'postgres://db',
      'postgresql://u:p%40ss@[::1]:5432/billhook?sslmode=verify-full',
      'postgres://u:p@db1:5432,db2/billhook',
    ],
    BILLHOOK_PAGE_NAME: ['<script>', 'شاي', '茶'.repeat(60)],
    BILLHOOK_PAGE_SUPPORT: [
      'mailto:a.b+c@shop.example',
      'tel:+49-30-123456',
      'tel:112',
      'https://shop.example/help?a=@',
    ],
    BILLHOOK_PAGE_FRAME_ANCESTORS: ['https://shop.example', 'http://127.0.0.1:8080,https://a.example:8443'],
  }
  for (const [name, values] of Object.entries(wellFormed)) {
    test(`${name} accepts what is well-formed`, () => {
      for (const value of values) accepted([], { [name]: value })
    })
  }
})
