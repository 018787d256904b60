#!/usr/bin/env node
import { error, out, processIo } from './cli/process-io.js'
import { run } from './cli/run.js'
import { serve } from './cli/serve.js'
import type { Settings } from './config.js'

async function serveHere(settings: Settings): Promise<number> {
  // Loaded only now, so that help and refused settings need none of the native modules behind the service.
  const { startService } = await import('./service.js')
  return await serve(settings, processIo(settings.logLevel, startService))
}

process.exit(await run(process.argv.slice(2), process.env, { out, error, serve: serveHere }))
