/** The thread that holds the keys. Its policy lets it connect to nothing (`src/http/routes/app.ts`). */

import { Database } from '../storage/database.js'
import { StorageError } from '../storage/storage-error.js'
import { vaultPlace } from '../storage/vault-place.js'
import { KeyHolder } from './holder.js'
import { KeyError } from './key-error.js'
import { type Asked, CALLS, type Told } from './messages.js'

const holder = new KeyHolder({
  place: vaultPlace(Database.open()),
  now: () => Date.now(),
  onLocked: () => tell('locked'),
})

addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  answer(data).then(tell, (error) => tell(failureOf(data.id, error)))
})

async function answer({ id, call, given }: Asked): Promise<Told> {
  if (!CALLS.includes(call)) throw new Error(`there is no ${call}`)
  // The page's side (`key-thread.ts`) has the types of the holder.
  const method = holder[call] as (...given: readonly unknown[]) => unknown
  return { id, value: await method.apply(holder, [...given]) }
}

function failureOf(id: number, error: unknown): Told {
  const code = error instanceof KeyError || error instanceof StorageError ? error.code : null
  return { id, code, message: String(error) }
}

function tell(told: Told): void {
  postMessage(told)
}
