import type { Sandbox } from '../sandbox/sandbox.js'
import type { SandboxRates } from '../sandbox/sandbox-rates.js'
import { systemScheduler } from '../scheduler.js'
import type { Core } from './core.js'
import type { CoreContext } from './core-context.js'
import { rateOriginOf, rateTermsOf } from './rates.js'

/** The simulated ledger and networks, which are loaded with the first service that has them. */
export async function startSandbox(core: Core, context: CoreContext, publicUrl: () => string): Promise<Sandbox> {
  const { settings, log, clock, shutdown } = context
  const { Sandbox } = await import('../sandbox/sandbox.js')
  const sandbox = await Sandbox.start({
    ...core,
    networks: core.store.networks,
    apply: (events) => core.intake.apply(events),
    clock,
    log,
    publicUrl,
    dataDirectory: settings.dataDirectory,
    ledger: settings.sandboxLedger,
  })
  shutdown.add('sandbox', () => sandbox.close())
  return sandbox
}

/** The rates of a sandbox, which it has without a source. */
export async function startSandboxRates({ rateIntake, store }: Core, context: CoreContext): Promise<SandboxRates> {
  const { settings, log, shutdown } = context
  const { SandboxRates } = await import('../sandbox/sandbox-rates.js')
  const rates = new SandboxRates({
    store,
    take: (...given) => rateIntake.take(...given),
    maxAgeMs: rateTermsOf(settings).maxAgeMs,
    areOwn: rateOriginOf(settings) === 'sandbox',
    scheduler: systemScheduler,
    log,
  })
  shutdown.add('rates of the sandbox', () => rates.stop())
  await rates.start()
  return rates
}
