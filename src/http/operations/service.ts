import { operations } from './operation.js'
import { list, oneOf, record, text } from './schema.js'

const notModified = { description: 'The copy that `If-None-Match` names is current.', body: null } as const

const ifNoneMatch = text('The `ETag` of a copy that you have.')

const sentences = (description: string) => list(text('A sentence.'), { description })

export const serviceOperations = operations({
  'GET /api/info': {
    id: 'getInfo',
    chapter: 'Service',
    summary: 'Get what a client must know of the service',
    path: {},
    query: {},
    answers: {
      200: {
        description: 'Version, modes, networks and ledger.',
        body: 'ServiceInfo',
        example: {
          version: '0.1.0',
          strict: true,
          unsigned: 'off',
          networks: [
            {
              id: 'SEP',
              name: 'Ethereum Sepolia',
              symbol: 'ETH',
              token: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
              decimals: 6,
              tokens: [
                { symbol: 'USDT', contract: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', decimals: 6 },
                { symbol: 'USDC', contract: '0xaA8E23Fb1079EA71e0a56F48a2aA51851D8433D0', decimals: 6 },
              ],
              claim: 'sep/eth',
              testnet: true,
            },
          ],
          ledger: {
            namespace: 'shop',
            contracts: { onboard: '3f2a', assignOwner: '9be1' },
            onboardingName: 'shop.onboarding',
            nodes: ['https://ledger.example:5260'],
          },
        },
      },
    },
    errors: [],
  },
  'GET /api/rates': {
    id: 'getRates',
    chapter: 'Service',
    summary: 'Get the rates that are in force',
    path: {},
    query: {},
    answers: {
      200: {
        description: 'The price of one coin by currency, how old it is, and which coins have none and why.',
        body: 'Rates',
        example: {
          source: 'file',
          at: 1794700800000,
          age_seconds: 41,
          max_age_seconds: 600,
          spread: '0.5',
          rates: { EUR: { TRX: '0.2511', USDT: '0.92' } },
          withheld: [
            {
              currency: 'EUR',
              coin: 'ETH',
              why: 'held',
              rate: '2950.10',
              at: 1794700740000,
              held: { rate: '295.01', since: 1794700800000 },
            },
          ],
        },
      },
    },
    errors: [],
  },
  'GET /openapi.json': {
    id: 'getOpenApi',
    chapter: 'Service',
    summary: 'Get this document',
    path: {},
    query: {},
    headers: { 'If-None-Match': ifNoneMatch },
    answers: {
      200: {
        description: 'The OpenAPI document of this version.',
        body: { type: 'object', description: 'An OpenAPI 3.1 document.' },
        headers: ['ETag'],
      },
      304: { ...notModified, headers: ['ETag'] },
    },
    errors: [],
  },
  'GET /docs': {
    id: 'showReference',
    chapter: 'Service',
    summary: 'Show this document as a page',
    path: {},
    query: {},
    headers: { 'If-None-Match': ifNoneMatch },
    answers: {
      200: {
        description: 'The page.',
        type: 'text/html',
        body: { type: 'string', description: 'A page of HTML.' },
        headers: ['ETag'],
      },
      304: { ...notModified, headers: ['ETag'] },
    },
    errors: [],
  },
  'GET /docs/:file': {
    id: 'getReferenceFile',
    chapter: 'Service',
    summary: 'Get a file of the reference page',
    path: { file: text('The name of the file.', { minLength: 1 }) },
    query: {},
    headers: { 'If-None-Match': ifNoneMatch },
    answers: {
      200: {
        description: 'The file.',
        type: ['text/javascript', 'text/css', 'text/plain'],
        body: { type: 'string', description: 'A text.' },
        headers: ['ETag'],
      },
      304: { ...notModified, headers: ['ETag'] },
    },
    errors: ['not_found'],
  },
  'GET /healthz': {
    id: 'isAlive',
    chapter: 'Service',
    summary: 'Ask whether the process answers',
    path: {},
    query: {},
    answers: {
      200: {
        description: 'It answers.',
        body: record({ status: oneOf(['ok'], 'Always `ok`.') }),
        example: { status: 'ok' },
      },
    },
    errors: [],
  },
  'GET /readyz': {
    id: 'isReady',
    chapter: 'Service',
    summary: 'Ask whether the service can take requests',
    path: {},
    query: {},
    answers: {
      200: {
        description: 'It can.',
        body: record(
          {
            status: oneOf(['ready', 'degraded'], '`degraded`: requests are answered as well as before.'),
            degraded: sentences('What is impaired.'),
            notes: sentences('What cannot be known with these settings.'),
          },
          ['degraded', 'notes'],
        ),
        example: { status: 'ready' },
      },
    },
    errors: ['shutting_down', 'not_ready', 'storage_unavailable'],
  },
})
