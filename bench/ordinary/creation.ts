import type pg from 'pg'
import type { Outcome } from '../../src/domain/failure.js'
import type { InvoiceRequest } from '../../src/domain/invoice.js'
import { createByFunction, FUNCTION } from './stored-function.js'
import { createByStatements } from './transaction.js'

/** How an invoice is created: statement by statement in a transaction of the application, or by one function in the database. */
export type CreationName = 'statements' | 'stored function'

export interface Creation {
  /** To PostgreSQL, of the pool. */
  readonly connections: number
  /** What the database needs beside the tables. */
  readonly functions: string
  /** The id of the new invoice. The owner is the key's, whatever the request says. */
  create(pool: pg.Pool, publicKey: Uint8Array, request: InvoiceRequest): Promise<Outcome<string>>
}

/**
 * The numbers of connections are the fastest of 8, 16, 32 and 64 on two cores. One process of Node is enough there: its
 * main thread is not even half busy, since signatures are verified on the thread pool.
 */
export const CREATIONS: Readonly<Record<CreationName, Creation>> = {
  statements: { connections: 16, functions: '', create: createByStatements },
  'stored function': { connections: 32, functions: FUNCTION, create: createByFunction },
}
