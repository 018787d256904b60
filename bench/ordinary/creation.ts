import type pg from 'pg'
import type { Outcome } from '../../src/domain/failure.js'
import type { InvoiceRequest } from '../../src/domain/invoice.js'
import { createByFunction, FUNCTION } from './stored-function.js'
import { createByStatements } from './transaction.js'

/**
 * How an invoice is created: statement by statement in a transaction of the application, or by one function in the
 * database.
 */
export type CreationName = 'statements' | 'stored function'

export interface Creation {
  /** Connections of the pool to PostgreSQL. */
  readonly connections: number
  /** SQL to run after the tables are created. */
  readonly functions: string
  /** Returns the id of the new invoice. The owner of the key is its owner, whatever the request says. */
  create(pool: pg.Pool, publicKey: Uint8Array, request: InvoiceRequest): Promise<Outcome<string>>
}

/**
 * The numbers of connections are the fastest of 8, 16, 32 and 64 on two cores. One Node process is enough there: its
 * main thread is less than half busy, because the thread pool verifies the signatures.
 */
export const CREATIONS: Readonly<Record<CreationName, Creation>> = {
  statements: { connections: 16, functions: '', create: createByStatements },
  'stored function': { connections: 32, functions: FUNCTION, create: createByFunction },
}
