import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { until } from '../service/watched-chain.js'
import { runSh } from '../support/shell.js'
import { testKey } from '../support/signing.js'
import { validAddress } from '../support/valid-address.js'
import { command, inDirectory, main, serving } from './served.js'
import { Shop } from './shop.js'

const FORMULA = '=HYPERLINK("http://evil.example")'

/** A sandbox with a deposit to a wallet that nobody owns, and its address. */
async function withDeposit(directory: string) {
  const { service, url } = await serving(directory, '--sandbox')
  const claimed = await request(`${url}/api/wallets/claim/niles/trx`)
  const { id, address } = (await claimed.body.json()) as { id: string; address: string }
  const deposit = { address, amount: '1.5', currency: 'USDT', kind: 'confirmed', txHash: FORMULA }
  const paid = await request(`${url}/sandbox/deposits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(deposit),
  })
  assert.equal(paid.statusCode, 200, await paid.body.text())
  return { service, id, address }
}

describe('records of a data directory', () => {
  test('of events are moved with the cursors of those who read them', async () => {
    const shop = await Shop.open()
    try {
      const order = ['--order-number', '=1+1', '--return-url', 'https://shop.example/', '--metadata', 'a=@b']
      const id = await shop.invoice('25', '--reference', FORMULA, ...order)
      await shop.service.post('/sandbox/deposits', { invoiceId: id, kind: 'confirmed', txHash: 'tx' })
      // That it is paid may be noted in a later commit.
      await until(async () =>
        (await shop.run(['export', 'events', '--data', shop.data])).stdout.includes('invoice.paid'),
      )
      await shop.stop()
      const csv = (await shop.run(['export', 'events', '--data', shop.data, '--format', 'csv'])).stdout.split('\n')
      assert.deepEqual(csv[0]?.split(',').slice(0, 8), [
        ...['owner', 'id', 'type', 'at', 'invoiceId', 'reference', 'deposit.network', 'deposit.txHash'],
      ])
      const columns = csv[0]?.split(',').length ?? 0
      assert.deepEqual(
        csv.slice(1, -1).map((line) => line.match(/,/g)?.length),
        [1, 2, 3, 4].map(() => columns - 1),
      )
      const sheet = (await shop.run(['export', 'invoices', '--data', shop.data, '--format', 'csv'])).stdout
      assert.match(sheet, /returnUrl,orderNumber,metadata\n/)
      assert.match(sheet, /https:\/\/shop\.example\/,'=1\+1,"\{""a"":""@b""\}"/)
      const to = join(shop.files, 'to')
      mkdirSync(to)
      for (const kind of ['identities', 'wallets', 'keys', 'invoices', 'deposits', 'events']) {
        const file = join(shop.files, kind)
        const exported = await shop.run(['export', kind, '--data', shop.data])
        assert.equal(exported.code, 0, exported.stderr)
        writeFileSync(file, exported.stdout)
        const imported = await shop.run(['import', file, '--data', to])
        assert.equal(imported.code, 0, imported.stderr)
        if (kind !== 'events') continue
        assert.equal((await shop.run(['export', kind, '--data', to])).stdout, exported.stdout)
      }
      const read = async (data: string, ...more: readonly string[]) =>
        (await shop.run(['events', 'list', '--json', '--data', data, '--owner', shop.owner, ...more])).stdout
      const all = (await read(shop.data)).trim().split('\n')
      assert.equal(all.length, 4)
      const cursor = JSON.parse(all[1] ?? '').id
      assert.equal(await read(to, '--after', cursor), `${all.slice(2).join('\n')}\n`)
    } finally {
      await shop.close()
    }
  })

  test('cannot control a terminal, whatever others have named what is in them', async () => {
    const shop = await Shop.open()
    const hostile = '\u001b]0;pwned\u0007\u001b[31m\u009b\u202e\r'
    try {
      const { service } = shop
      const owner = `o${hostile}o`
      const address = validAddress('TRX-NILE', 'hostile')
      await service.assign(owner, { id: `w${hostile}`, address, network: 'TRX-NILE' })
      const registration = { owner, label: `l${hostile}l`, permissions: ['invoices:create'] }
      await service.post('/api/api-keys', { ...registration, publicKey: `0x${testKey('hostile').publicKeyHex}` })
      const texts = { name: `n${hostile}n`, description: hostile, reference: hostile }
      const made = await service.post('/api/invoices', { owner, walletIds: [`w${hostile}`], amount: '5', ...texts })
      await service.post('/sandbox/deposits', { invoiceId: made.json.id, kind: 'confirmed', txHash: `t${hostile}` })
      const file = join(shop.files, `file${hostile.replaceAll('/', '')}`)
      const refused = {
        id: 'a'.repeat(32),
        owner: 'x',
        wallet_id: `q${hostile}`,
        name: 'x',
        amount: '1',
        created_at: 1,
      }
      writeFileSync(file, `${JSON.stringify({ ...refused, currency: 'USDT' })}\n`)
      for (const argv of [
        ...['invoices', 'events', 'keys', 'deposits', 'wallets', 'identities'].flatMap((kind) => [
          ['export', kind, '--format', 'csv'],
          ['export', kind],
        ]),
        ...['wallets', 'deposits', 'deliveries', 'keys'].map((kind) => [kind, 'list']),
        ['invoice', 'list', '--owner', owner],
        ['invoice', 'get', made.json.id],
        ['import', file],
        ['export', hostile],
      ]) {
        const { stdout, stderr } = await shop.run([...argv, '--data', shop.data])
        assert.ok(stdout !== '' || stderr !== '', argv.join(' '))
        assert.doesNotMatch(stdout + stderr, /(?![\n\t])[\p{Cc}\p{Bidi_C}]/u, argv.join(' '))
      }
      const csv = await shop.run(['export', 'invoices', '--format', 'csv', '--data', shop.data])
      assert.match(csv.stdout, /,n\\u001b\]0;pwned\\u0007\\u001b\[31m\\u009b\\u202e\\u000dn,/)
    } finally {
      await shop.close()
    }
  })

  test('of webhooks say in a pipe how each went, and what it told', async () => {
    const shop = await Shop.open()
    try {
      const id = await shop.invoice('25', '--reference', 'order-1', '--callback-url', 'http://127.0.0.1:9/hook')
      await shop.service.post('/sandbox/deposits', { invoiceId: id, kind: 'confirmed', txHash: 'tx' })
      const states = async (): Promise<readonly string[]> => {
        const { json } = await shop.service.get(`/api/users/${shop.owner}/webhook/deliveries`)
        return json.map(({ state }: { readonly state: string }) => state)
      }
      await until(async () => (await states()).every((state) => state === 'failed'))
      const { stdout } = await shop.run(['deliveries', 'list', '--data', shop.data])
      const lines = stdout.trim().split('\n')
      assert.match(lines[0] ?? '', /^id\towner\tinvoiceId\tstatus\t.*\toutcome\tevent$/)
      assert.deepEqual(
        lines.slice(1).map((line) => [line.split('\t')[5], ...line.split('\t').slice(-2)]),
        [
          ['failed', 'connection', '-'],
          ['failed', 'connection', '-'],
        ],
      )
    } finally {
      await shop.close()
    }
  })

  test('of webhooks have the same columns in CSV, sent or not', async () => {
    const shop = await Shop.open()
    try {
      const id = await shop.invoice('25', '--reference', 'order-1', '--callback-url', 'http://127.0.0.1:9/hook')
      await shop.service.post('/sandbox/deposits', { invoiceId: id, kind: 'confirmed', txHash: 'tx' })
      await shop.stop()
      const exported = await shop.run(['export', 'deliveries', '--data', shop.data, '--format', 'csv'])
      const [head, ...rows] = exported.stdout.trim().split('\n')
      assert.match(head ?? '', /^id,owner,.*,nextAttemptAt,result\.kind,result\.httpStatus,result\.reason,/)
      assert.equal(rows.length, 2)
    } finally {
      await shop.close()
    }
  })

  test(
    'are exported and listed alike while a service runs and when none does',
    inDirectory(async (directory) => {
      const { service, address } = await withDeposit(directory)
      const commands = [
        ['export', 'deposits'],
        ['export', 'deposits', '--format', 'csv'],
        ['export', 'wallets', '--owner', 'nobody'],
        ['wallets', 'list', '--json'],
        ['deposits', 'list'],
      ]
      const run = async () => Promise.all(commands.map((argv) => command(...argv, '--data', directory)))
      const online = await run()
      service.kill('SIGTERM')
      assert.equal((await service.ended).code, 0)
      const offline: typeof online = []
      for (const argv of commands) offline.push(await command(...argv, '--data', directory))
      assert.deepEqual(
        offline.map(({ stdout }) => stdout),
        online.map(({ stdout }) => stdout),
      )
      const [exported, csv, none, wallets, deposits] = online
      for (const { code } of online) assert.equal(code, 0)
      const record = JSON.parse(exported?.stdout ?? '')
      assert.deepEqual([record.txHash, record.toAddress, record.amount], [FORMULA, address, '1500000'])
      const [header, row] = (csv?.stdout ?? '').split('\n')
      assert.equal(header, 'network,txHash,index,toAddress,currency,amount,kind,receivedAt,confirmedAt')
      assert.match(row ?? '', /^TRX-NILE,"'=HYPERLINK\(""http:\/\/evil.example""\)",0,/)
      assert.equal(none?.stdout, '')
      assert.equal(wallets?.stdout.trimEnd().split('\n').length, 200)
      assert.equal(deposits?.stdout.trimEnd().split('\n').length, 2)
    }),
  )

  test(
    'end quietly when the reader has enough',
    inDirectory(async (directory) => {
      const { service } = await withDeposit(directory)
      const list = `${process.execPath} ${fileURLToPath(main)} wallets list --data ${directory}`
      const { code, stderr } = await runSh(['-c', `${list} | head -n 1`], { timeoutMs: 30_000 })
      assert.deepEqual([code, stderr], [0, ''])
      service.kill('SIGTERM')
      await service.ended
    }),
  )

  test(
    'end with 1 and a line that says why when the disk that takes them is full',
    inDirectory(async (directory) => {
      const { service } = await serving(directory, '--sandbox')
      for (const argv of [
        ['export', 'wallets'],
        ['wallets', 'list'],
        ['status', '--json'],
      ]) {
        const line = [process.execPath, fileURLToPath(main), ...argv, '--data', directory, '> /dev/full'].join(' ')
        const { code, stderr } = await runSh(['-c', line], { timeoutMs: 30_000 })
        assert.equal(code, 1)
        assert.equal(
          stderr.trim().split('\n').at(-1),
          'billhook: standard output cannot be written: no space left on device (ENOSPC)',
        )
        assert.doesNotMatch(stderr, /\n\s+at /)
      }
      service.kill('SIGTERM')
      await service.ended
    }),
  )

  test('of an unknown kind, or of none, are refused', async () => {
    for (const argv of [['export', 'secrets'], ['export'], ['export', 'keys', '--format', 'xml'], ['wallets', 'lst']]) {
      const { code, stdout, stderr } = await command(...argv)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, /^[^\n]+\n$/)
    }
  })

  test(
    'are imported into an empty directory, but into none that is missing or holds something else',
    inDirectory(async (directory) => {
      const [from, to, other] = [join(directory, 'from'), join(directory, 'to'), join(directory, 'other')]
      const { service } = await withDeposit(from)
      const kinds = ['identities', 'wallets', 'keys', 'invoices', 'deposits']
      const importAll = async (into: string) => {
        for (const kind of kinds) {
          const { stdout } = await command('export', kind, '--data', from)
          writeFileSync(join(directory, kind), stdout)
          const ended = await command('import', join(directory, kind), '--data', into)
          if (ended.code !== 0) return ended.stderr
          assert.equal((await command('export', kind, '--data', into)).stdout, stdout)
        }
        return null
      }
      mkdirSync(other)
      writeFileSync(join(other, 'notes.txt'), '')
      for (const wrong of [to, other]) {
        assert.match(
          (await importAll(wrong)) ?? '',
          /^billhook: the data directory \S+ holds no data; name the right one, or an empty one, with --data\n$/,
        )
      }
      assert.deepEqual([existsSync(to), readdirSync(other)], [false, ['notes.txt']])
      mkdirSync(to)
      assert.equal(await importAll(to), null)
      service.kill('SIGTERM')
      await service.ended
    }),
  )

  test(
    'are imported into another directory as they were exported',
    inDirectory(async (directory) => {
      const [from, to] = [join(directory, 'from'), join(directory, 'to')]
      const { service } = await withDeposit(from)
      const served = await serving(to, '--sandbox')
      const kinds = ['identities', 'wallets', 'keys', 'invoices', 'deposits']
      for (const kind of kinds) {
        const { stdout } = await command('export', kind, '--data', from)
        const file = join(directory, `${kind}.ndjson`)
        writeFileSync(file, `${stdout}{"what":"ever"}\nno JSON\n`)
        const { code, stdout: told, stderr } = await command('import', file, '--data', to, '--json')
        const refusals = stderr.split('\n').filter((line) => line.startsWith(file))
        const lines = stdout.split('\n').length
        assert.deepEqual(refusals, [
          `${file}:${lines}: it is no invoice, order, deposit, wallet, key, identity, event, note or record of an audit`,
          `${file}:${lines + 1}: it is no JSON`,
        ])
        assert.deepEqual([code, JSON.parse(told)], [1, { added: lines - 1, known: 0, refused: 2 }])
        const again = await command('import', file, '--data', to, '--json')
        assert.deepEqual(JSON.parse(again.stdout), { added: 0, known: lines - 1, refused: 2 })
        const ofOld = new Set(stdout.split('\n'))
        const { stdout: exported } = await command('export', kind, '--data', to)
        assert.equal(exported.split('\n').filter((line) => ofOld.has(line)).length, lines)
      }
      for (const one of [service, served.service]) {
        one.kill('SIGTERM')
        await one.ended
      }
    }),
  )
})
