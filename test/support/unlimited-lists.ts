import { EVENT_LOOP, Turns } from '../../src/base/turns.js'
import { Lists } from '../../src/http/lists.js'

/** Lists of a test that charge nobody. */
export function unlimitedLists(): Lists {
  const turns = new Turns({ ...EVENT_LOOP, width: 1 })
  return new Lists({ turns, clientOf: () => ({ key: '', isLoopback: true }), charge: () => {} })
}
