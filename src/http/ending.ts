import type { Signer } from '../auth/signed-request.js'
import { type Outcome, succeed } from '../domain/failure.js'
import type { VoidCommand } from '../store/commands.js'
import { failureAnswer, outcomeAnswer, ownerInBody, readJsonObject } from './json.js'
import type { Answer, Request } from './server.js'

/** Ends an invoice or an order one way or the other, at the request of its owner, and answers with what `show` makes of it. */
export async function end<Ended>(
  { body }: Request,
  signer: Signer | null,
  trace: string | undefined,
  ending: (owner: string, terms: Pick<VoidCommand, 'authority' | 'trace'>) => Promise<Outcome<Ended>>,
  show: (ended: Ended) => unknown,
): Promise<Answer> {
  const owner = ownerWhoAsks(body, signer)
  if (!owner.ok) return failureAnswer(owner.failure)
  const outcome = await ending(owner.value, {
    ...(signer === null ? {} : { authority: signer.authority }),
    ...(trace === undefined ? {} : { trace }),
  })
  return outcomeAnswer(200, outcome.ok ? { ...outcome, value: show(outcome.value) } : outcome)
}

/** A signed request needs no body. One that it has is an object as everywhere (decisions 1). */
function ownerWhoAsks(body: Buffer, signer: Signer | null): Outcome<string> {
  if (signer === null) return ownerInBody(body, 'owner_required')
  const read = body.length === 0 ? null : readJsonObject(body)
  return read === null || read.ok ? succeed(signer.key.owner) : read
}
