import { OperatorError } from '../../operator-error.js'
import type { MovePosition } from './ports.js'

/** Where a move goes on: where it was begun, or at `first`. Throws `OperatorError` when the target is being filled from another source. */
export function positionToGoOn(
  target: string,
  kind: 'directory' | 'database',
  begun: MovePosition | null,
  first: MovePosition,
): MovePosition {
  if (begun === null || begun.from === first.from) return begun ?? first
  throw new OperatorError(`${target} is being filled from ${begun.from}: go on with that, or name an empty ${kind}`)
}
