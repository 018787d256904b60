#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { error, out, processIo } from './cli/process-io.js'
import type { ReconcileRequest } from './cli/reconcile-request.js'
import { run } from './cli/run.js'
import { serve } from './cli/serve.js'
import type { Settings } from './config.js'

/**
 * How far the heap may outgrow the memory in use, in percent, before it is collected. V8's default is four times as
 * much: under a mixed load 25 MiB in use took 100 MiB instead of 50, at the same speed.
 */
const HEAP_GROWING_PERCENT = 100

// Files are private to this user, whatever the shell's umask, because the database holds secrets.
process.umask(0o077)

async function serveHere(settings: Settings): Promise<number> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)
  // Loaded lazily, so that --help and rejected settings do not load the native modules behind the service.
  const { startService } = await import('./service.js')
  return await serve(settings, { ...processIo(settings.logLevel), startService })
}

async function reconcileHere(request: ReconcileRequest, settings: Settings): Promise<number> {
  const [{ reconcileNetwork }, { openReconciliation }] = await Promise.all([
    import('./cli/reconcile.js'),
    import('./service/reconciliation.js'),
  ])
  return await reconcileNetwork(request, settings, { ...processIo(settings.logLevel), openReconciliation })
}

async function reconcileLedgerHere(settings: Settings): Promise<number> {
  const [{ reconcileLedger }, { openLedgerReconciliation }] = await Promise.all([
    import('./cli/reconcile-ledger.js'),
    import('./service/ledger-reconciliation.js'),
  ])
  return await reconcileLedger(settings, { ...processIo(settings.logLevel), openLedgerReconciliation })
}

const io = { out, error, serve: serveHere, reconcile: reconcileHere, reconcileLedger: reconcileLedgerHere }
process.exit(await run(process.argv.slice(2), process.env, io))
