import { OperatorError } from '../../../operator-error.js'
import { blockAsideCodec, depositAsideCodec, putBlockAside } from '../chain/aside-rows.js'
import { depositKey } from '../deposits/deposit-rows.js'
import { networkOfKey, WIDE_BYTES } from '../tables/keys.js'
import { type LmdbMovedKind, pageOfTable } from './moved-kind.js'

export const blocksAside: LmdbMovedKind<'blocksAside'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.blocksAside, behind, limit, (key, value) => {
      const of = networkOfKey(key)
      if (of === null) throw new OperatorError('a block that was set aside is of no network: check the source first')
      const { network, rest } = of
      return { network, height: rest.readUIntBE(0, WIDE_BYTES), ...blockAsideCodec.decode(value) }
    }),
  write: putBlockAside,
}

export const depositsAside: LmdbMovedKind<'depositsAside'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.depositsAside, behind, limit, (_, value) => depositAsideCodec.decode(value)),
  write({ tables }, record) {
    tables.depositsAside.putSync(depositKey(record.sighting), depositAsideCodec.encode(record))
  },
}
