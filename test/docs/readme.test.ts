import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { endpoints } from '../../src/http/endpoints.js'
import { deliveryHeaders } from '../../src/webhooks/signature.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { pagesOfDocs, textOfSubject } from './documents.js'
import { anchors, prose } from './markdown.js'

function read(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8')
}

function markdown(): string[] {
  return ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'deploy/README.md', ...pagesOfDocs()]
}

/** The text of every source file below a folder. */
function sourceOf(folder: string): string {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(join(folder, name)))
    .join('')
}

/** The fenced blocks of a language, in order. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block,
  )
}

describe('the README', () => {
  test('says how to start and how to test on its first screen, word by word', () => {
    const first = read('README.md').split('\n').slice(0, 24).join('\n')
    assert.deepEqual(blocks(`${first}\n`, 'sh'), ['npm ci && npm start\n', 'npm ci && npm test\n'])
  })

  test('is at most 5 kB', () => {
    assert.ok(Buffer.byteLength(read('README.md')) <= 5000)
  })

  test('names the Node version of package.json', () => {
    const { engines }: { engines: { node: string } } = JSON.parse(read('package.json'))
    assert.ok(read('README.md').includes(`Node ${engines.node.replace('>=', '')} or later`))
  })
})

describe('the walk-through', () => {
  test('has the very text of examples/quickstart.sh', () => {
    const steps = blocks(read('docs/walkthrough.md'), 'bash')
    assert.equal(`${steps.join('\n')}`, read('examples/quickstart.sh'))
    const [, ...titled] = steps
    const titles = titled.map((step) => /^step (\d+) '(.*)'\n/.exec(step)?.slice(1).join('. '))
    assert.deepEqual(
      [...prose(read('docs/walkthrough.md')).matchAll(/^## (\d.*)$/gm)].map(([, heading]) => heading),
      titles,
    )
  })

  test('shows for each step what it printed, and that all was as expected', () => {
    const transcripts = blocks(read('docs/walkthrough.md'), 'text')
    assert.equal(transcripts.length, blocks(read('docs/walkthrough.md'), 'bash').length - 1)
    assert.ok(transcripts.at(-1)?.endsWith('Everything was as expected.\n'))
  })
})

describe('the comparison', () => {
  const [claims, sources] = [read('docs/comparison.md'), read('docs/comparison/sources.md')]

  test('cites sources that it lists, and lists none that it does not cite', () => {
    const cited = new Set([...claims.matchAll(/\[(\d+)\](?!\()/g)].map(([, number]) => Number(number)))
    const listed = [...sources.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
    assert.ok(listed.length > 0)
    assert.deepEqual(
      [...cited].sort((a, b) => a - b),
      listed,
    )
  })

  test('links to repositories at a commit, since their branches change', () => {
    const links = [...sources.matchAll(/https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(?:blob|tree)\/([^/)]+)/g)]
    assert.ok(links.length > 0)
    for (const [link, revision = ''] of links) assert.match(revision, /^[0-9a-f]{40}$/, link)
  })
})

describe('the pages for people', () => {
  for (const path of markdown()) {
    test(`${path} links to what is there`, () => {
      for (const [, link, picture] of prose(read(path)).matchAll(/\]\(([^)]+)\)|<img src="([^"]+)"/g)) {
        const target = link ?? picture ?? ''
        if (/^https:/.test(target)) continue
        const [file = '', anchor] = target.split('#')
        const linked = file === '' ? path : join(dirname(path), file)
        assert.ok(existsSync(join(projectRoot, linked)), target)
        if (anchor !== undefined) assert.ok(anchors(read(linked)).has(anchor), target)
      }
    })

    test(`${path} names files that are there`, () => {
      const named = [...prose(read(path)).matchAll(/`((?:src|test|examples|docs)\/[\w./-]+)`/g)]
      for (const [, file = ''] of named) assert.ok(existsSync(join(projectRoot, file)), file)
    })
  }

  test('name limits that the code has', () => {
    const source = ['src/auth', 'src/domain', 'src/http', 'src/ledger', 'src/service', 'src/store', 'src/webhooks']
      .map(sourceOf)
      .join('')
    const named = [...textOfSubject('security').matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name = '']) => name)
    const limits = named.filter((name) => !name.startsWith('BILLHOOK_'))
    assert.ok(limits.length > 0)
    assert.deepEqual(
      limits.filter((name) => !new RegExp(`const ${name}\\b`).test(source)),
      [],
    )
  })

  test('quote messages that the service logs', () => {
    const source = sourceOf('src')
    const quoted = ['networks', 'ledger', 'operating'].flatMap((subject) =>
      [...prose(textOfSubject(subject)).matchAll(/^\*\*`([^`]+)`\*\*|\blog(?: line)? says `([^`"{]+)`/gm)].map(
        ([, first, second]) => first ?? second,
      ),
    )
    assert.ok(quoted.length >= 8, `${quoted.length} messages found`)
    // An ellipsis stands for values.
    const parts = quoted.flatMap((message = '') => message.split('…'))
    assert.deepEqual(
      parts.filter((part) => !source.includes(part.trim())),
      [],
    )
  })

  test('have a heading for each endpoint of the API, and for no other', () => {
    const routes = Object.keys(endpoints)
    const inOperating = ['POST /internal/events', 'POST /internal/rates', 'GET /healthz', 'GET /readyz', 'GET /metrics']
    // The same handler as the path with the slash, which is the one that clients are told.
    const aliases = ['POST /sandbox/ledger']
    // Read by services that follow a ledger, not by clients.
    const inLedger = routes.filter((route) => route.startsWith('GET /sandbox/ledger/'))
    // The docs of the commands say what those of `admin.sock` do.
    const ofCommands = routes.filter((route) => route.includes(' /admin/'))
    // Pages for an operator, which a browser asks for.
    const ofConsole = routes.filter((route) => / \/console(\/|$)/.test(route))
    const elsewhere = [...inOperating, ...aliases, ...inLedger, ...ofCommands, ...ofConsole]
    const pages = `${textOfSubject('integrating')}\n${textOfSubject('orders')}`
    const headings = [...pages.matchAll(/^#{2,3} `([A-Z]+ .*)`$/gm)].map(([, route]) => route)
    assert.deepEqual(headings.sort(), routes.filter((route) => !elsewhere.includes(route)).sort())
    for (const route of inLedger) assert.ok(textOfSubject('ledger').includes(`\`${route}\``), route)
    for (const route of inOperating) assert.ok(textOfSubject('operating').includes(`\`${route}\``), route)
  })

  test('show the tables of the store by their names', () => {
    const declared = /const TABLES = \{([\s\S]*?)\} as const/.exec(read('src/store/lmdb/tables/tables.ts'))?.[1] ?? ''
    const tables = [...declared.matchAll(/: '([a-z-]+)'/g)].map(([, name = '']) => name)
    assert.ok(tables.length > 0)
    const shown = read('docs/internals/store.md')
    // `meta` is the store's own and holds nothing of the domain.
    for (const name of tables.filter((table) => table !== 'meta')) assert.ok(shown.includes(`\`${name}\``), name)
  })
})

describe('the snippets of docs/webhooks.md', () => {
  interface Receiving {
    isFromBillhook(body: Uint8Array, signature: string | undefined, secret: string): boolean
  }
  interface Standard {
    standardWebhooksSecret(secret: string): string
  }

  /** The snippet with this function, as the module that a reader would make of it. */
  async function load<T>(name: string): Promise<T> {
    const snippets = blocks(read('docs/webhooks.md'), 'js')
    const snippet = snippets.find((text) => text.includes(`function ${name}(`)) ?? assert.fail(`no snippet has ${name}`)
    return (await import(`data:text/javascript,${encodeURIComponent(snippet)}`)) as T
  }

  const SECRET = '4cbfa3b914f9fd352a8f7d7749d91eaee8937359216056cacde23e17ed00e538'
  const BODY = Buffer.from('{"reference":"ä"}')

  test('tells a delivery of the service from any other', async () => {
    const { isFromBillhook } = await load<Receiving>('isFromBillhook')
    const signature = deliveryHeaders({ id: '0'.repeat(32), body: BODY }, { current: SECRET, previous: null }, 0)[
      'X-Service-Signature'
    ]
    assert.equal(isFromBillhook(BODY, signature, SECRET), true)
    assert.equal(isFromBillhook(Buffer.from('{"reference":"b"}'), signature, SECRET), false)
    assert.equal(isFromBillhook(BODY, signature, SECRET.replace('4', '5')), false)
    assert.equal(isFromBillhook(BODY, undefined, SECRET), false)
    assert.equal(isFromBillhook(BODY, 'zz', SECRET), false)
  })

  test('gives Standard Webhooks libraries the bytes that the service signs with', async () => {
    const { standardWebhooksSecret } = await load<Standard>('standardWebhooksSecret')
    assert.equal(Buffer.from(standardWebhooksSecret(SECRET).replace(/^whsec_/, ''), 'base64').toString('hex'), SECRET)
  })
})

const PYTHON_SECRET = '4cbfa3b914f9fd352a8f7d7749d91eaee8937359216056cacde23e17ed00e538'
const PYTHON_BODY = '{"reference":"order-1"}'

/** What the service sends, nothing, no hex, and text that a header cannot be but a program may pass on. */
const PYTHON_CASES = `
signature, secret, body = ${JSON.stringify(
  deliveryHeaders(
    { id: '0'.repeat(32), body: Buffer.from(PYTHON_BODY) },
    { current: PYTHON_SECRET, previous: null },
    0,
  )['X-Service-Signature'],
)}, "${PYTHON_SECRET}", b'${PYTHON_BODY}'
assert is_from_billhook(body, signature, secret)
assert not is_from_billhook(b'{}', signature, secret)
for given in (None, "", "zz", signature[:-1], signature + "0", "\\u00e4" * 64, "\\udcff" * 64):
    assert is_from_billhook(body, given, secret) is False
print("checked")
`

test('the snippet for Python tells a delivery of the service from any other, and never raises', {
  skip: missingPrograms('python3'),
}, () => {
  const snippet = blocks(read('docs/webhooks.md'), 'python').find((text) => text.includes('def is_from_billhook'))
  assert.ok(snippet !== undefined)
  const run = spawnSync('python3', ['-'], { input: snippet + PYTHON_CASES, encoding: 'utf8' })
  assert.deepEqual([run.stdout, run.stderr], ['checked\n', ''])
})
