import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { openReceiver } from '../support/receiver.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { testKey } from '../support/signing.js'
import { validAddress } from '../support/valid-address.js'

/** What text is known to break things with, by what it is. None has white space at an end. */
const texts: Readonly<Record<string, string>> = {
  'a script': '<script>alert(1)</script>',
  'a handler': '"><img src=x onerror=alert(1)>',
  'an end of title and style': '</title></style></bdi><svg/onload=alert(1)>',
  'a comment and a CDATA': '<!--x--><![CDATA[x]]>-->',
  entities: '&lt;b&gt; &#x202e; &amp;amp;',
  'a quote of each kind': `'"\`´’“`,
  'a right-to-left override': '\u202egpj.exe\u202c',
  'isolates that are never closed': '\u2066\u2067\u2068abc',
  'isolates that close more than they open': 'abc\u2069\u2069\u202c\u202c',
  'Arabic and Hebrew among Latin': 'a\u0627\u0644\u0639 \u05e2\u05d1\u05e8 b',
  'zero-width characters': 'a\u200b\u200c\u200d\u2060\ufeffb',
  'a flood of combining marks': `Z${'\u0300\u0316\u0489'.repeat(26)}`,
  'an emoji of seven code points': '👨‍👩‍👧‍👦',
  'a flag and a skin tone': '🇺🇳👍🏿🏴\u{e0067}\u{e007f}',
  'a NUL inside': 'a\u0000b',
  'control characters': 'a\u0001\u0008\u000b\u001b[31m\u007f\u0085b',
  'line breaks of every kind': 'a\r\nb\rc\nd\u2028e\u2029f',
  noncharacters: 'a\ufdd0\ufffe\uffff\u{1fffe}\u{10ffff}b',
  'private use': '\ue000\u{f0000}',
  'a byte order mark inside': 'a\ufeffb',
  'composed and decomposed': '\u00e9 e\u0301 \u1e69 s\u0323\u0307 s\u0307\u0323',
  'look-alikes': 'раураl \u212a \u017f \u0130 \u0131 \ufb01',
  'full-width digits': '１２３',
  'a replacement pattern': "$& $1 $` $' $$",
  'a template': '{{7*7}} <%= 7*7 %> #{7*7}',
  'names of prototypes': '__proto__ constructor',
  'a path': '../../%2e%2e/%00',
}

/** What becomes something else on the way in, as decided (decisions 1): lone surrogates. */
const repaired: Readonly<Record<string, readonly [sent: string, kept: string]>> = {
  'a lone high surrogate': ['a\ud800b', 'a\ufffdb'],
  'a lone low surrogate': ['c\udc00d', 'c\ufffdd'],
  'a pair the wrong way round': ['a\ude00\ud83db', 'a\ufffd\ufffdb'],
  'half an emoji at the end': ['ab\ud83d', 'ab\ufffd'],
}

const samples = [
  ...Object.entries(texts).map(([what, text]) => ({ what, sent: text, kept: text })),
  ...Object.entries(repaired).map(([what, [sent, kept]]) => ({ what, sent, kept })),
]

const WALLET = { id: 'w', address: '0xabcd000000000000000000000000000000000001', network: 'SEP' }

/** The tags of a page, what stands between them left out, as a browser's tokenizer finds them (WHATWG HTML, 13.2.5). */
function tagsOf(html: string): string[] {
  const withoutRawText = html.replace(/<(style|script)( [^>]*)?>[\s\S]*?<\/\1>/g, '<$1></$1>')
  return [...withoutRawText.matchAll(/<[a-zA-Z/!?][^>]*>/g)].map(([tag]) => tag)
}

/** Text as it must stand in a page. */
function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

for (const http of HTTP_ENGINES) {
  describe(`Unicode in every text field, over ${http}`, () => {
    let fixture: ServiceFixture
    let amount = 0

    before(async () => {
      fixture = await ServiceFixture.start({ BILLHOOK_HTTP: http })
      await fixture.assign('shop', WALLET)
    })
    after(() => fixture.stop())

    /** Creates an invoice with the fields and answers what is read back. */
    async function invoiceWith(fields: Readonly<Record<string, unknown>>) {
      amount += 1
      const body = { owner: 'shop', walletIds: [WALLET.id], name: 'Order', amount: String(amount), ...fields }
      const created = await fixture.post('/api/invoices', body)
      assert.equal(created.status, 201, created.text)
      const shown = await fixture.get(`/api/invoices/${created.json.id}`)
      assert.equal(shown.status, 200)
      return shown.json
    }

    test('name, description and reference of an invoice read back as sent, in the record, the list and by reference', async () => {
      for (const { what, sent, kept } of samples) {
        const invoice = await invoiceWith({ name: sent, description: sent, reference: sent })
        const { name, description, reference } = invoice
        assert.deepEqual({ name, description, reference }, { name: kept, description: kept, reference: kept }, what)
        const found = await fixture.get(`/api/users/shop/invoices?reference=${encodeURIComponent(kept)}`)
        assert.deepEqual(
          found.json.map(({ id }: { id: string }) => id),
          [invoice.id],
          what,
        )
      }
      const listed = (await fixture.get('/api/users/shop/invoices')).json
      assert.equal(listed.length, samples.length)
      assert.deepEqual(
        listed.map(({ name }: { name: string }) => name).reverse(),
        samples.map(({ kept }) => kept),
      )
    })

    test('composed and decomposed spellings are different references', async () => {
      await invoiceWith({ reference: 'caf\u00e9' })
      await invoiceWith({ reference: 'cafe\u0301' })
    })

    test('a payment page has the tags of a harmless one, whatever its texts are, and shows them', async () => {
      const page = async (fields: Readonly<Record<string, unknown>>) => {
        const { id } = await invoiceWith(fields)
        const { status, text, headers } = await fixture.get(`/pay/${id}`)
        assert.equal(status, 200)
        const policy = headers.get('content-security-policy') ?? ''
        const nonce = /^default-src 'none'; style-src 'nonce-([^']+)'/.exec(policy)?.[1]
        assert.ok(nonce !== undefined, policy)
        return text
          .replaceAll(id, '')
          .replaceAll(nonce, '')
          .replace(/(value=\d+|data-(version|copy|pay)="[^"]*")/g, '')
      }
      const harmless = tagsOf(await page({ name: 'Order', description: 'Tea' }))
      assert.ok(harmless.length > 40)
      for (const { what, sent, kept } of samples) {
        const html = await page({ name: sent, description: sent, reference: `page ${sent}`.slice(0, 60) })
        assert.deepEqual(tagsOf(html), harmless, what)
        assert.ok(html.includes(`<h1><bdi>${escaped(kept)}</bdi></h1>`), what)
        assert.ok(html.includes(`<p class="description"><bdi>${escaped(kept)}</bdi></p>`), what)
        assert.ok(!/[\u202a-\u202e\u2066-\u2069]/.test(/<title>([\s\S]*?)<\/title>/.exec(html)?.[1] ?? ''), what)
      }
    })

    test('owners and labels of API keys read back as sent', async () => {
      for (const { what, sent, kept } of samples) {
        const label = [...kept].slice(0, 60).join('')
        const key = testKey(`${http} ${what}`)
        const registered = await fixture.register(sent, key, { label: sent })
        assert.equal(registered.status, 201, registered.text)
        assert.deepEqual([registered.json.owner, registered.json.label], [kept, label], what)
        const listed = await fixture.get(`/api/users/${encodeURIComponent(kept)}/api-keys`)
        assert.deepEqual(listed.json, [registered.json], what)
      }
    })

    test('identities, wallet ids, event ids and transaction hashes of the gateway stand for themselves', async () => {
      for (const { what, sent, kept } of samples) {
        // A comma separates wallets, so that no id has one; and what is not ASCII has no case here.
        const id = `wallet ${sent}`.replaceAll(',', '')
        const address = validAddress('TRX-NILE', what)
        const owner = `owner ${sent}`
        const wallet = { id, address, network: 'TRX-NILE' }
        const deposit = {
          network: 'TRX-NILE',
          txHash: `hash ${sent}`,
          toAddress: address,
          currency: '#native',
          amount: '1',
        }
        const events = [
          { id: `${sent} 1`, type: 'wallet.assigned', wallet, owner },
          { id: `${sent} 2`, type: 'deposit.confirmed', deposit },
          { id: `${sent} 2`, type: 'deposit.confirmed', deposit },
        ]
        assert.deepEqual(
          await fixture.push(...events),
          [
            { id: `${kept} 1`, status: 'applied' },
            { id: `${kept} 2`, status: 'applied' },
            { id: `${kept} 2`, status: 'duplicate' },
          ],
          what,
        )
        const inPath = encodeURIComponent(`owner ${kept}`)
        const wallets = await fixture.get(`/api/users/${inPath}/wallets`)
        assert.deepEqual(
          wallets.json.map(({ id, address }: { id: string; address: string }) => [id, address]),
          [[`wallet ${kept}`.replaceAll(',', ''), address]],
          what,
        )
        assert.deepEqual((await fixture.get(`/api/identity/${inPath}/exists`)).json, { exists: true }, what)
        const { wallet_ids } = await invoiceWith({ owner, walletIds: [id] })
        assert.equal(wallet_ids, `wallet ${kept}`.replaceAll(',', ''), what)
      }
    })

    test('a webhook carries reference and hash as they were sent', async () => {
      const receiver = await openReceiver()
      try {
        for (const { what, sent, kept } of samples) {
          const before = receiver.requests.length
          const address = validAddress('TRX-NILE', `pays ${what}`)
          await fixture.assign('hooked', { id: `pays ${sent}`.replaceAll(',', ''), address, network: 'TRX-NILE' })
          await invoiceWith({
            owner: 'hooked',
            walletIds: [`pays ${sent}`.replaceAll(',', '')],
            reference: `hook ${sent}`,
            callbackUrl: receiver.url,
          })
          const deposit = {
            network: 'TRX-NILE',
            txHash: `paid ${sent}`,
            toAddress: address,
            currency: null,
            amount: '1',
          }
          await fixture.push({
            id: `paid ${sent}`,
            type: 'deposit.pending',
            deposit: { ...deposit, receivedAt: Date.now() + 1000 },
          })
          await receiver.received(before + 1)
          const { reference, txHash, toAddress } = JSON.parse(receiver.requests[before]?.body.toString() ?? '')
          const expected = {
            reference: [...`hook ${kept}`].slice(0, 80).join(''),
            txHash: `paid ${kept}`,
            toAddress: address,
          }
          assert.deepEqual({ reference, txHash, toAddress }, expected, what)
        }
      } finally {
        await receiver.close()
      }
    })

    for (const [field, limit] of [
      ['name', 80],
      ['description', 500],
      ['reference', 80],
    ] as const) {
      test(`${field} is cut after ${limit} code points, never within one`, async () => {
        for (const point of ['x', 'ä', '€', '𝕏', '👍🏿', 'e\u0301', '\ud800']) {
          // A reference must be new, so each is told by its first code points.
          const text = `${http} ${point}${'x'.repeat(3)}${point.repeat(limit)}`
          const kept = [...text.toWellFormed()].slice(0, limit).join('')
          assert.equal((await invoiceWith({ [field]: text }))[field], kept)
        }
      })
    }

    test('white space of every kind around a name, label, owner and description is trimmed, and within a reference kept', async () => {
      const around = '\t\n\v\f\r \u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\ufeff'
      const invoice = await invoiceWith({
        owner: `${around}shop${around}`,
        name: `${around}a b${around}`,
        description: around,
        reference: around,
      })
      const { owner, name, description, reference } = invoice
      assert.deepEqual(
        { owner, name, description, reference },
        { owner: 'shop', name: 'a b', description: null, reference: around },
      )
      const key = await fixture.register(`${around}o${around}`, testKey(`${http} trimmed`), {
        label: `${around}l${around}`,
      })
      assert.deepEqual([key.json.owner, key.json.label], ['o', 'l'])
    })
  })
}
