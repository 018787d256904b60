import { OperatorError } from '../../../operator-error.js'
import { isOfOtherSession, POOLER_ADVICE, unavailable } from '../connection/errors.js'
import { type Reach, Session } from '../connection/session.js'
import { sql } from '../connection/sql.js'

/** A pooler may by chance lend the same session of the server again. */
const ROUNDS = 3

/**
 * Throws `OperatorError` where a pooler that was not declared lends a session of the server for each transaction: settings and prepared
 * statements of one would meet those of another. Rejects with `StorageUnavailable`.
 */
export async function assertKeepsSessions(reach: Reach): Promise<void> {
  if (reach.isPooled) return
  const sessions: Session[] = []
  try {
    for (let n = 0; n < 2; n += 1) sessions.push(await Session.open(reach))
    const [one, other] = sessions as [Session, Session]
    for (let round = 0; round < ROUNDS; round += 1) {
      if (await isShared(one, other)) throw new OperatorError(POOLER_ADVICE)
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    if (isOfOtherSession(error)) throw new OperatorError(POOLER_ADVICE)
    throw unavailable(error)
  } finally {
    for (const session of sessions) await session.close()
  }
}

/** Whether another connection is lent the session of one, while that has no transaction. */
async function isShared(one: Session, other: Session): Promise<boolean> {
  const before = await serverOf(one)
  await other.run(sql`BEGIN`)
  try {
    // A pooler that carries prepared statements along lets no statement fail, so each side is asked.
    return (await serverOf(other)) === before || (await serverOf(one)) !== before
  } finally {
    await other.run(sql`COMMIT`)
  }
}

/** The process of the server that answers. */
async function serverOf(session: Session): Promise<number | undefined> {
  const { rows } = await session.run<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`)
  return rows[0]?.pid
}
