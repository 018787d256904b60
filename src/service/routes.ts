import { HeldRefusals } from '../auth/held-refusals.js'
import { type AskLedger, KnownIdentities } from '../auth/known-identities.js'
import { SignedRequests } from '../auth/signed-request.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { ClaimLimit } from '../http/claim-limit.js'
import { clientReader } from '../http/client-address.js'
import { InProgress } from '../http/in-progress.js'
import { requireOwnerSignature, type StrictParts } from '../http/owner-signature.js'
import { limitRates } from '../http/rate-limits.js'
import type { Route } from '../http/router.js'
import { apiKeyRoutes } from '../http/routes/api-keys.js'
import { deliveryRoutes } from '../http/routes/deliveries.js'
import { healthRoutes } from '../http/routes/health.js'
import { identityRoutes } from '../http/routes/identities.js'
import { internalEventsRoutes } from '../http/routes/internal-events.js'
import { invoiceRoutes } from '../http/routes/invoices.js'
import { paymentPageRoutes } from '../http/routes/pay.js'
import { sandboxRoutes } from '../http/routes/sandbox.js'
import { walletRoutes } from '../http/routes/wallets.js'
import { webhookConfigurationRoutes } from '../http/routes/webhook-configuration.js'
import { answeringUnavailable } from '../http/unavailable.js'
import { unsignedPath } from '../http/unsigned-path.js'
import type { Logger } from '../log.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Core } from './core.js'

/** Wallets of one network that one client address may hold by leases, unless a setting says otherwise. */
const CLAIMS_PER_ADDRESS = 20

/** What the routes are made from, beside the core. */
export interface RouteContext {
  readonly settings: Settings
  readonly log: Logger
  readonly clock: Clock
  /** Null without the sandbox. */
  readonly sandbox: Sandbox | null
  /** Null when no ledger is configured. */
  readonly ledger: AskLedger | null
  readonly publicUrl: () => string
  readonly isDraining: () => boolean
  readonly degradations: () => readonly string[]
}

/** All routes of the service, behind the guards that the settings ask for. */
export function allRoutes(core: Core, context: RouteContext): readonly Route[] {
  const { store, directory, pool, engine, dispatcher, intake } = core
  const { settings, log, clock, sandbox, ledger, publicUrl, isDraining, degradations } = context
  const clientOf = clientReader(settings.trustedProxies)
  const signedRequests = new SignedRequests(store, pool, clock, clientOf, new HeldRefusals())
  const identities = new KnownIdentities(store, ledger)
  const leaseMs = settings.walletLeaseSeconds * 1000
  // The wallets of a sandbox are worth nothing, and whoever tries it out claims many.
  const leasesPerClient = settings.claimsPerAddress ?? (sandbox === null ? CLAIMS_PER_ADDRESS : 0)
  const claimLimit = new ClaimLimit({ leasesPerClient, leaseMs, clientOf, clock })

  const routes: Route[] = [
    ...invoiceRoutes({
      store,
      directory,
      signedRequests,
      allowsUnsigned: unsignedPath(settings.strict ? 'off' : settings.unsigned, publicUrl),
      inProgress: new InProgress(),
    }),
    ...apiKeyRoutes(store, engine),
    ...webhookConfigurationRoutes(store),
    ...deliveryRoutes({ store, onOwed: (owed) => dispatcher.notify(owed) }),
    ...walletRoutes({ store, leaseMs, claimLimit }),
    ...identityRoutes(identities),
    ...internalEventsRoutes({ secret: settings.gatewaySecret ?? null, intake, clock }),
    ...paymentPageRoutes({ store, isSandbox: sandbox !== null }),
    ...healthRoutes({
      isStoreOpen: () => store.isOpen(),
      isPoolReady: () => pool.ready(),
      isDraining,
      degradations,
    }),
    ...(sandbox === null ? [] : sandboxRoutes(sandbox)),
  ]
  const onboardingName = sandbox?.describe().onboardingName ?? settings.onboardingName ?? null
  const guarded = settings.strict ? strictRoutes(routes, { signedRequests, identities }, onboardingName) : routes
  const available = answeringUnavailable(guarded, (error) => log.warn({ err: error }, 'request refused for now'))
  const { rateLimit: requestsPerMinute, rateLimitClaims: claimsPerMinute } = settings
  return limitRates(available, { requestsPerMinute, claimsPerMinute, clientOf, clock })
}

function strictRoutes(
  routes: Route[],
  parts: Omit<StrictParts, 'onboardingName'>,
  onboardingName: string | null,
): Route[] {
  if (onboardingName === null) throw new Error('strict mode has no onboarding name, which the settings ask for')
  return requireOwnerSignature(routes, { ...parts, onboardingName })
}
