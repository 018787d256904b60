import { behind, placeOf } from '../../invoices/invoice-places.js'
import { listedKey, setNoRow, walletSetCodec } from '../../invoices/wallet-sets.js'
import { numberKey, type OwnerNo, type SetNo } from '../../tables/keys.js'
import { firstKey } from '../../tables/tables.js'
import type { Reading } from '../reading.js'
import type { MakeRule } from './rule.js'

export const walletSets: MakeRule = (reading) => ({
  row(key, value) {
    const { owner, ownerNo, walletIdsText } = walletSetCodec.decode(value)
    reading.use('walletSet', key.readUInt32BE(0))
    reading.expect(reading.identity(owner)?.no === ownerNo, `identities has no such owner of number ${ownerNo}`)
    const ids = walletIdsText.split(',')
    reading.expect(new Set(ids).size === ids.length, 'it names a wallet twice')
    const wallets = ids.map((id) => reading.wallet(id)).filter((one) => one !== undefined)
    if (wallets.length < ids.length) return reading.wrong('wallets does not have all of its wallets')
    const no = key.readUInt32BE(0) as SetNo
    const numbered = setNoRow(ownerNo as OwnerNo, wallets)
    reading.owe(numbered.table, numbered.key, numberKey(no))
    if (wallets.length === 1 || !hasOpen(reading, no)) return
    for (const wallet of wallets) reading.owe('openSets', listedKey(placeOf(wallet.no, ownerNo as OwnerNo), no))
  },
})

function hasOpen({ tables: { openInvoices } }: Reading, no: SetNo): boolean {
  const prefix = numberKey(no)
  return openInvoices !== undefined && firstKey(openInvoices, prefix, behind(prefix)) !== undefined
}
