#!/usr/bin/env -S node --max-semi-space-size=32 --v8-pool-size=1
// biome-ignore assist/source/organizeImports: the flags come first
import { limitHeapGrowth } from './v8-flags.js'
import { isApart, runApart, signalsOfParent } from './cli/apart.js'
import { commandIo, commandOut, error, outputWritten, serviceIo } from './cli/process-io.js'
import { reconcileLedger, reconcileNetwork } from './cli/reconcile.js'
import { run } from './cli/run.js'
import { serve } from './cli/serve.js'

// Files are private to this user, whatever the shell's umask, because the database holds secrets.
process.umask(0o077)

/** The process of a command, which may be a child that its parent passes signals to. */
function ioOf(...[level]: Parameters<typeof commandIo>) {
  const io = commandIo(level)
  return isApart() ? { ...io, onSignal: signalsOfParent() } : io
}

// Loaded lazily, so that --help and rejected settings do not load the native modules behind the service.
const context = {
  environment: process.env,
  out: commandOut,
  error,
  processIo: ioOf,
  runApart: isApart() ? null : runApart,
}

void run(process.argv.slice(2), context, {
  async serve(settings) {
    const { startService } = await import('./service.js')
    const start: typeof startService = async (...how) => {
      const service = await startService(...how)
      limitHeapGrowth()
      return service
    }
    return await serve(settings, { ...serviceIo(settings.logLevel), startService: start })
  },
  async reconcile(request, settings) {
    const opening = await import('./service/reconciliation.js')
    return await reconcileNetwork(request, settings, { ...ioOf(settings.logLevel), ...opening })
  },
  async reconcileLedger(settings) {
    const opening = await import('./service/ledger-reconciliation.js')
    return await reconcileLedger(settings, { ...ioOf(settings.logLevel), ...opening })
  },
}).then(async (code) => {
  await outputWritten()
  process.exit(code)
})
