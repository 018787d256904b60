import { type AskLedger, KnownIdentities } from '../auth/known-identities.js'
import { SignedRequests } from '../auth/signed-request.js'
import { Tarpit } from '../auth/tarpit.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { ClaimLimit } from '../http/guards/claim-limit.js'
import type { ClientOf } from '../http/guards/client-address.js'
import type { GatewayComplaints } from '../http/guards/gateway-complaints.js'
import type { IsOwnOrigin } from '../http/guards/own-origin.js'
import { requireOwnerSignature, type StrictParts } from '../http/guards/owner-signature.js'
import { limitClaimRates } from '../http/guards/rate-limits.js'
import { unsignedPath } from '../http/guards/unsigned-path.js'
import { InProgress } from '../http/in-progress.js'
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
import { webhookTestRoutes } from '../http/routes/webhook-test.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Core } from './core.js'

/** Wallets of one network that one client address may hold by leases, unless a setting says otherwise. */
const CLAIMS_PER_ADDRESS = 20

/** What the routes are made from, beside the core. */
export interface RouteContext {
  readonly settings: Settings
  readonly clock: Clock
  /** Null without the sandbox. */
  readonly sandbox: Sandbox | null
  /** Null when no ledger is configured. */
  readonly ledger: AskLedger | null
  readonly clientOf: ClientOf
  readonly isOwnOrigin: IsOwnOrigin
  readonly isDraining: () => boolean
  readonly takesWrites: () => boolean
  readonly complaints: GatewayComplaints
  readonly degradations: () => readonly string[]
  readonly notes: () => readonly string[]
}

/** All routes of the service, behind the guards that the settings ask for. */
export function allRoutes(core: Core, context: RouteContext): readonly Route[] {
  const { store, directory, pool, engine, dispatcher, testDeliveries, intake } = core
  const { settings, clock, sandbox, ledger, clientOf, isOwnOrigin } = context
  const { isDraining, takesWrites, complaints, degradations, notes } = context
  const basePath = settings.publicUrl === undefined ? '' : new URL(settings.publicUrl).pathname.replace(/\/$/, '')
  const signedRequests = new SignedRequests(store.keys, pool, clock, clientOf, new Tarpit())
  const identities = new KnownIdentities(store.identities, ledger)
  const leaseMs = settings.walletLeaseSeconds * 1000
  // The wallets of a sandbox are worth nothing, and whoever tries it out claims many.
  const leasesPerClient = settings.claimsPerAddress ?? (sandbox === null ? CLAIMS_PER_ADDRESS : 0)
  const claimLimit = new ClaimLimit({
    leasesPerClient,
    leaseMs,
    clientOf,
    clock,
    isAssigned: async (id) => (await store.wallets.find(id))?.owner != null,
  })

  const routes: Route[] = [
    ...invoiceRoutes({
      invoices: store.invoices,
      directory,
      signedRequests,
      allowsUnsigned: unsignedPath(settings.strict ? 'off' : settings.unsigned, isOwnOrigin),
      inProgress: new InProgress(),
      basePath,
      defaultExpirySeconds: settings.invoiceExpirySeconds ?? null,
    }),
    ...apiKeyRoutes(store.keys, engine),
    ...webhookConfigurationRoutes(store.webhooks),
    ...webhookTestRoutes({ tests: testDeliveries, clock }),
    ...deliveryRoutes({ outbox: store.outbox, clock, onOwed: (owed) => dispatcher.notify(owed), basePath }),
    ...walletRoutes({ wallets: store.wallets, leaseMs, claimLimit }),
    ...identityRoutes(identities),
    ...internalEventsRoutes({ secret: settings.gatewaySecret ?? null, intake, clock, complaints }),
    ...paymentPageRoutes({ store, isSandbox: sandbox !== null }),
    ...healthRoutes({
      isStoreOpen: () => store.isOpen(),
      takesWrites,
      isPoolReady: () => pool.ready(),
      isDraining,
      degradations,
      notes,
    }),
    ...(sandbox === null ? [] : sandboxRoutes(sandbox)),
  ]
  const onboardingName = sandbox?.describe().onboardingName ?? settings.onboardingName ?? null
  const guarded = settings.strict
    ? strictRoutes(routes, { signedRequests, identities, invoices: store.invoices }, onboardingName)
    : routes
  return limitClaimRates(guarded, { claimsPerMinute: settings.rateLimitClaims, clientOf, clock })
}

function strictRoutes(
  routes: Route[],
  parts: Omit<StrictParts, 'onboardingName'>,
  onboardingName: string | null,
): Route[] {
  if (onboardingName === null) throw new Error('strict mode has no onboarding name, which the settings ask for')
  return requireOwnerSignature(routes, { ...parts, onboardingName })
}
