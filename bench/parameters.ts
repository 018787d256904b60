import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectRoot } from './project-root.js'

/** The end-to-end parts in the order in which they run, and the micro-benchmarks. */
export const PARTS = [
  'throughput',
  'postgres',
  'latency',
  'reads',
  'history',
  'webhooks',
  'process',
  'backup',
  'sizing',
  'disk',
  'micro',
] as const

export type Part = (typeof PARTS)[number]

/** The extent of a run. Durations are in seconds. */
export interface Parameters {
  /** Duration of each run under load. */
  readonly seconds: number
  /** 0: nothing warms up. */
  readonly warmUpSeconds: number
  /** Rest between two contestants. */
  readonly pauseSeconds: number
  readonly rounds: number
  readonly connections: number
  readonly wallets: number
  readonly keys: number
  /** Connections for reads and for the paced creations of the latency part. */
  readonly fewerConnections: number
  /** Invoices read in turn: more than the service caches, except in a tiny run. */
  readonly readInvoices: number
  /** Sizes of history, ascending; the first and the last are compared. */
  readonly historySizes: readonly number[]
  /** Timed operations for each sample of the history. */
  readonly historyOperations: number
  readonly depositsPerSecond: number
  /** Wallets in a database that receive deposits at once, one each. */
  readonly depositWallets: number
  readonly queuedDeliveries: number
  readonly starts: number
  readonly idleSeconds: number
  /** Invoices created before memory is measured again. */
  readonly memoryInvoices: number
  /** Invoices, and as many deposits, in the database that is backed up. */
  readonly backupInvoices: number
  /** Invoices a second, ascending: those that the sizing is made for. */
  readonly sizingRates: readonly number[]
  /** Duration at each of these rates. */
  readonly sizingSeconds: number
  /** Invoices before it, so that the compiler has seen the program. */
  readonly sizingWarmUpInvoices: number
  /** Connections that are opened and left idle. */
  readonly idleConnections: number
  /** Paid invoices at full speed, and in the store whose bytes are counted. */
  readonly paidInvoices: number
  readonly diskInvoices: number
}

export interface Options {
  readonly isTiny: boolean
  readonly parts: ReadonlySet<Part>
  /** Whether the ordinary stack takes part. */
  readonly hasOrdinary: boolean
  /** The directory that the report is written to. */
  readonly out: string
  readonly parameters: Parameters
}

const FULL: Parameters = {
  seconds: 4,
  warmUpSeconds: 2,
  pauseSeconds: 1,
  rounds: 3,
  connections: 1024,
  wallets: 5000,
  keys: 50,
  fewerConnections: 256,
  readInvoices: 40_000,
  historySizes: [100, 10_000, 1_000_000],
  historyOperations: 1000,
  depositsPerSecond: 1000,
  depositWallets: 512,
  queuedDeliveries: 30_000,
  starts: 5,
  idleSeconds: 3,
  memoryInvoices: 1_000_000,
  backupInvoices: 200_000,
  sizingRates: [10, 100, 1000, 10_000],
  sizingSeconds: 10,
  sizingWarmUpInvoices: 1500,
  idleConnections: 5000,
  paidInvoices: 10_000,
  diskInvoices: 50_000,
}

const TINY: Parameters = {
  seconds: 1,
  warmUpSeconds: 0,
  pauseSeconds: 0,
  rounds: 1,
  connections: 32,
  wallets: 50,
  keys: 5,
  fewerConnections: 16,
  readInvoices: 300,
  historySizes: [100, 500],
  historyOperations: 50,
  depositsPerSecond: 100,
  depositWallets: 16,
  queuedDeliveries: 200,
  starts: 1,
  idleSeconds: 0.2,
  memoryInvoices: 500,
  backupInvoices: 500,
  sizingRates: [10, 50],
  sizingSeconds: 2,
  sizingWarmUpInvoices: 50,
  idleConnections: 50,
  paidInvoices: 200,
  diskInvoices: 500,
}

export const USAGE = `npm run bench -- [--tiny] [--only <part,…>] [--seconds N] [--rounds N] [--out DIRECTORY] [--no-ordinary]
parts: ${PARTS.join(', ')}`

/** Reads the command line. Throws an Error with the reason when it is invalid. */
export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      tiny: { type: 'boolean', default: false },
      only: { type: 'string', default: PARTS.join(',') },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      'no-ordinary': { type: 'boolean', default: false },
      out: { type: 'string', default: join(projectRoot, 'bench/report') },
    },
  })
  const defaults = values.tiny ? TINY : FULL
  return {
    isTiny: values.tiny,
    parts: new Set(values.only.split(',').map(partNamed)),
    out: values.out,
    hasOrdinary: !values['no-ordinary'],
    parameters: {
      ...defaults,
      seconds: positive('--seconds', values.seconds) ?? defaults.seconds,
      rounds: positive('--rounds', values.rounds) ?? defaults.rounds,
    },
  }
}

function partNamed(name: string): Part {
  const part = PARTS.find((known) => known === name)
  if (part === undefined) throw new Error(`there is no part ${name}`)
  return part
}

function positive(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`${flag} takes a whole number of at least 1`)
  return value
}
