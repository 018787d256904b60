import fc from 'fast-check'
import type { Contract, JsonSchema, SentRequest } from '../http/openapi/contract.js'
import { gatewayHeaders } from '../support/service-fixture.js'
import { signRequest, type TestKey, testKey } from '../support/signing.js'
import { type ClientRequest, HOOK_OWNER, OWNER } from './fuzz-target.js'
import { hostileEntries, hostileText, hostileValue, inHeader, inPath, writeEntries } from './hostile-values.js'
import { allowedObject, fieldsOf, type Known, valuesOf } from './schema-values.js'

/** Ids that answers have told, for the requests that follow. */
export interface Learned {
  readonly invoices: string[]
  readonly orders: string[]
  readonly keys: string[]
  readonly transactions: string[]
}

/** A request for an operation of the document. */
export interface DocumentCase {
  readonly tag: string
  /** Made when it is sent: signatures hold the time, and paths name what exists by then. */
  request(nowMs: number, learned: Learned): { readonly client: ClientRequest; readonly sent: SentRequest }
}

interface World {
  readonly key: TestKey
  readonly walletIds: readonly string[]
}

const EXTRA_KEYS = 64
const BODY_WEIGHT = 4
const WALLETS = 3
/** Amounts of options, of which hardly one is asked twice. */
const AMOUNTS = 100_000
/** Nobody listens there. */
export const DEAD_END = 'http://127.0.0.1:9/'

/** How a request is signed; what is hostile stands in the headers. */
type Signing = 'none' | 'valid' | 'stranger' | Readonly<Record<string, string>>

/** Requests for every operation of the document, most for those that take a body. */
export function documentCases(contract: Contract, world: World): fc.Arbitrary<DocumentCase> {
  const weighed = contract.tags.map((tag) => ({
    weight: contract.operation(tag).requestBody === undefined ? 1 : BODY_WEIGHT,
    arbitrary: casesOf(contract, tag, world),
  }))
  return fc.oneof(...weighed)
}

function casesOf(contract: Contract, tag: string, world: World): fc.Arbitrary<DocumentCase> {
  const [method = '', pattern = ''] = tag.split(' ')
  const parameters = contract.parametersOf(tag)
  const inPlace = (place: string) => parameters.filter((one) => one.in === place)
  const schema = contract.operation(tag).requestBody?.content['application/json']?.schema
  return fc
    .record({
      path: fc.tuple(...inPlace('path').map(({ name, schema: of }) => pathValue(tag, name, of))),
      query: queryOf(inPlace('query')),
      headers: fc.tuple(...inPlace('header').map(({ name, schema: of }) => headerOf(name, of))),
      signing: signingOf(tag),
      body: method === 'GET' ? fc.constant(undefined) : bodyOf(schema, knownFields(tag, world)),
    })
    .map(({ path, query, headers, signing, body }) => ({
      tag,
      request(nowMs, learned) {
        const names = inPlace('path').map(({ name }) => name)
        const values = path.map((one) => (typeof one === 'string' ? one : nth(learned[one.of], one.n)))
        const place = values.reduce((text, value, at) => text.replace(`:${names[at]}`, () => inPath(value)), pattern)
        const search = query.map(([name, value]) => `${inPath(name)}=${inPath(value)}`).join('&')
        const given = Object.fromEntries(headers.flat())
        const all = { ...given, ...signed(signing, tag, String(nowMs), body ?? '', world.key) }
        return {
          client: {
            method: method as ClientRequest['method'],
            path: search === '' ? place : `${place}?${search}`,
            headers: all,
            ...(body === undefined ? {} : { body }),
          },
          sent: {
            tag,
            path: Object.fromEntries(values.map((value, at) => [names[at] ?? '', value])),
            query: Object.fromEntries(query),
            headers: Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value])),
            body: parsed(body),
          },
        }
      },
    }))
}

/** A text, or something that an earlier answer named. */
type PathValue = string | { readonly of: keyof Learned; readonly n: number }

function pathValue(tag: string, name: string, schema: JsonSchema): fc.Arbitrary<PathValue> {
  const shaped = valuesOf(schema).map(String)
  const any = fc
    .oneof({ weight: 2, arbitrary: shaped }, { weight: 1, arbitrary: hostileText })
    // They name another path.
    .filter((text) => !['', '.', '..'].includes(text) && text.isWellFormed())
  return fc.oneof({ weight: 3, arbitrary: existing(tag, name) }, { weight: 1, arbitrary: any })
}

/** What a parameter must be for the operation to find something. */
function existing(tag: string, name: string): fc.Arbitrary<PathValue> {
  const learned = (of: keyof Learned) => fc.nat().map((n) => ({ of, n }))
  if (tag.includes('/ledger/') || name === 'deliveryId') return fc.constant('0'.repeat(32))
  if (name === 'txHash') return learned('transactions')
  if (name === 'file') {
    return tag.includes('/docs/') ? fc.constantFrom('start.js', 'swagger-ui.css') : fc.constant('fuzz-wallet-0.svg')
  }
  if (tag.includes('/api-keys/:id/')) return learned('keys')
  if (/\/orders?\/:id/.test(tag)) return learned('orders')
  if (tag.includes('/users/')) {
    // Only this one's webhook goes nowhere whatever was written there.
    const isTest = tag.endsWith('/webhook/test')
    return isTest
      ? fc.constant(OWNER)
      : tag.includes('/webhook')
        ? fc.constant(HOOK_OWNER)
        : fc.constantFrom(OWNER, HOOK_OWNER)
  }
  return tag.includes('/identity/') ? fc.constantFrom(OWNER, '0'.repeat(64)) : learned('invoices')
}

/** Before anything was learned, an id of nothing. */
function nth(values: readonly string[], n: number): string {
  return values.length === 0 ? '0'.repeat(32) : (values[n % values.length] ?? '')
}

function queryOf(parameters: readonly { readonly name: string; readonly schema: JsonSchema }[]) {
  const each = parameters.map(({ name, schema }) => {
    const value = fc.oneof(
      { weight: 5, arbitrary: valuesOf(schema).map(String) },
      { weight: 1, arbitrary: hostileText },
    )
    return sometimes(
      2,
      value.map((text): [string, string] => [name, text]),
    )
  })
  const unknown = fc.tuple(fc.oneof(fc.constantFrom('limit', '__proto__', 'referense'), hostileText), hostileText)
  return fc
    .tuple(fc.tuple(...each), sometimes(12, unknown))
    .map(([known, more]): readonly (readonly [string, string])[] =>
      [...known, more]
        .filter((one): one is [string, string] => one !== null)
        .map(([name, value]) => [wellFormed(name), wellFormed(value)]),
    )
}

/** Once in so many times; else null. */
function sometimes<T>(outOf: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: outOf - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })
}

const wellFormed = (text: string) => text.toWellFormed()

function headerOf(name: string, schema: JsonSchema): fc.Arbitrary<readonly [string, string][]> {
  const value = fc.oneof({ weight: 3, arbitrary: valuesOf(schema).map(String) }, { weight: 1, arbitrary: hostileText })
  return sometimes(3, value).map((text) => (text === null ? [] : [[name, inHeader(text)]]))
}

function signingOf(tag: string): fc.Arbitrary<Signing> {
  if (tag.startsWith('GET ')) return fc.constant('none')
  const hostile = fc
    .record({ Key: hostileText, Timestamp: hostileText, Signature: hostileText })
    .map(({ Key, Timestamp, Signature }) => ({
      'X-Service-Api-Key': inHeader(Key),
      'X-Service-Timestamp': inHeader(Timestamp),
      'X-Service-Signature': inHeader(Signature),
      'X-Gateway-Timestamp': inHeader(Timestamp),
      'X-Gateway-Signature': inHeader(Signature),
    }))
  return fc.oneof(
    { weight: tag.includes('/internal/') ? 0 : 6, arbitrary: fc.constant('none' as const) },
    { weight: 6, arbitrary: fc.constant('valid' as const) },
    { weight: 1, arbitrary: fc.constant('stranger' as const) },
    { weight: 1, arbitrary: hostile },
  )
}

function signed(signing: Signing, tag: string, timestamp: string, body: string, key: TestKey) {
  if (signing === 'none') return {}
  if (typeof signing === 'object') return signing
  const isValid = signing === 'valid'
  if (tag.includes('/internal/')) return gatewayHeaders(timestamp, body, ...(isValid ? [] : ['another secret']))
  const by = isValid ? key : testKey('a stranger to the service')
  return {
    'X-Service-Api-Key': by.publicKeyHex,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': signRequest(by, tag, timestamp, body),
  }
}

function bodyOf(schema: JsonSchema | undefined, known: Known): fc.Arbitrary<string | undefined> {
  const any = fc.oneof(
    hostileValue.map((value) => JSON.stringify(value) ?? ''),
    fc.constantFrom('', '{', '[]', 'null', '{}'),
  )
  if (schema === undefined) return sometimes(8, any).map((text) => text ?? undefined)
  const allowed = allowedObject(schema, known).map((body) => JSON.stringify(body))
  const shaped = hostileEntries(fieldsOf(schema, known)).map(writeEntries)
  return fc.oneof({ weight: 6, arbitrary: allowed }, { weight: 12, arbitrary: shaped }, { weight: 1, arbitrary: any })
}

/** How long ago sets of rates are dated at most. */
const SETS_WITHIN_MS = 1000

/** Fields that name what exists, and addresses that must lead nowhere. */
function knownFields(tag: string, { walletIds }: World): Known {
  const keys = Array.from({ length: EXTRA_KEYS }, (_, n) => testKey(`fuzz document ${n}`).publicKeyHex)
  const callback = fc.string({ unit: 'grapheme-ascii' }).map((text) => DEAD_END + text.replace(/[\s\\]/g, ''))
  const noCallback = fc.constantFrom('ftp://x', '//x', 'http:/x', 'http://x\\y', `${DEAD_END}${'x'.repeat(2100)}`)
  const everywhere = {
    owner: fc.constantFrom(OWNER, HOOK_OWNER),
    // Few, so that what names one of them often finds it.
    walletIds: fc.subarray(walletIds.slice(0, WALLETS), { minLength: 1 }),
    publicKey: fc.constantFrom(...keys),
    callbackUrl: fc.oneof({ weight: 4, arbitrary: callback }, { weight: 1, arbitrary: noCallback }),
  }
  if (tag === 'POST /api/orders') {
    const amount = fc.integer({ min: 1, max: AMOUNTS }).map((cents) => `${cents}.01`)
    const option = fc.record({ walletIds: everywhere.walletIds, currency: fc.constantFrom('USDT', 'native'), amount })
    return { ...everywhere, options: fc.tuple(option) }
  }
  if (!tag.startsWith('POST /sandbox/') && !tag.startsWith('POST /internal/')) return everywhere
  const address = fc.constantFrom(...walletIds).map((id) => `0x${Buffer.from(id).toString('hex').padStart(40, '0')}`)
  return {
    ...everywhere,
    address,
    toAddress: address,
    amount: fc.stringMatching(/^[1-9][0-9]{0,3}$/),
    network: fc.constant('SEP'),
    txHash: fc.stringMatching(/^0x[0-9a-f]{64}$/),
    invoiceId: fc.constant(null),
    // Of a set of rates that is neither old nor from the future.
    at: fc.nat({ max: SETS_WITHIN_MS }).map((ms) => Date.now() - ms),
  }
}

/** Undefined for no body, and for what is no JSON. */
function parsed(body: string | undefined): unknown {
  if (body === undefined) return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
