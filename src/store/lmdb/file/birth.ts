import type { StoreBirth } from '../../birth.js'
import { integer, recordCodec, text } from '../tables/record-codec.js'
import type { ReadTable, Tables } from '../tables/tables.js'

export const BIRTH_KEY = Buffer.from('birth')

export const birthCodec = recordCodec<StoreBirth>('meta/birth', 1, { id: text, bornAt: integer })

/** The birth of a store, which is noted now where no program has noted it yet. */
export async function birthOf({ meta, root }: Tables, present: () => StoreBirth): Promise<StoreBirth> {
  const noted = notedBirth(meta)
  if (noted !== null) return noted
  const birth = present()
  await root.transaction(() => meta.putSync(BIRTH_KEY, birthCodec.encode(birth)))
  return birth
}

function notedBirth(meta: Pick<ReadTable, 'get'>): StoreBirth | null {
  const stored = meta.get(BIRTH_KEY)
  return stored === undefined ? null : birthCodec.decode(stored)
}
