import { OperatorError } from '../../../operator-error.js'
import type { MovePosition } from '../../moving/ports.js'
import { MOVED_KINDS } from '../../moving/records.js'
import { integer, oneOf, orNull, recordCodec, text } from '../tables/record-codec.js'
import { type Environment, openExisting, type ReadTable, type Tables } from '../tables/tables.js'

/** While it is there, the data is a part of what another store has, and only the move may use it. */
export const MOVE_KEY = Buffer.from('move')

export const moveCodec = recordCodec<MovePosition>('meta/move', 1, {
  from: text,
  kind: orNull(oneOf(MOVED_KINDS)),
  place: orNull(text),
  done: integer,
})

/** How far the data was moved here; null when it is whole. */
export function positionOfMove(meta: Pick<ReadTable, 'get'> | undefined): MovePosition | null {
  const stored = meta?.get(MOVE_KEY)
  return stored === undefined ? null : moveCodec.decode(stored)
}

export function putPositionOfMove({ meta }: Pick<Tables, 'meta'>, position: MovePosition | null): void {
  if (position === null) meta.removeSync(MOVE_KEY)
  else meta.putSync(MOVE_KEY, moveCodec.encode(position))
}

/** Throws `OperatorError` when the data is being moved here and its move has not come to its end. */
export function assertMoved(root: Environment, directory: string): void {
  const position = positionOfMove(openExisting(root, 'meta'))
  if (position !== null) throw unfinished(directory, position)
}

export function unfinished(name: string, { from }: Pick<MovePosition, 'from'>): OperatorError {
  return new OperatorError(
    `${name} has only a part of what is being moved there from ${from}: run the same "billhook migrate" again, which goes on`,
  )
}
