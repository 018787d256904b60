import type { KnownIdentities } from '../auth/known-identities.js'
import { type AskLedgerKeys, PresentKeys } from '../auth/present-keys.js'
import { SignedRequests } from '../auth/signed-request.js'
import { Tarpit } from '../auth/tarpit.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import type { Network } from '../domain/network.js'
import type { PriceDecimals } from '../domain/order-price.js'
import { type AllHandlers, together } from '../http/endpoints.js'
import { browserGuard, type IsOwnOrigin, ownOrigin, unsignedPath } from '../http/guards/browsers.js'
import { ClaimLimit } from '../http/guards/claim-limit.js'
import type { ClientOf } from '../http/guards/client-address.js'
import type { GatewayComplaints } from '../http/guards/gateway-complaints.js'
import { type Limiters, limitRate } from '../http/guards/rate-limiter.js'
import type { AccessParts } from '../http/guards.js'
import { guardedRoutes } from '../http/guards.js'
import { Lists } from '../http/lists.js'
import type { Route } from '../http/router.js'
import { appHandlers } from '../http/routes/app.js'
import { eventHandlers } from '../http/routes/events.js'
import { healthHandlers, type Readiness } from '../http/routes/health.js'
import { apiKeyHandlers, identityHandlers } from '../http/routes/identities.js'
import { infoHandlers } from '../http/routes/info.js'
import { internalEventsHandlers } from '../http/routes/internal-events.js'
import { invoiceHandlers } from '../http/routes/invoices.js'
import { logoHandlers } from '../http/routes/logo.js'
import { orderPageHandlers } from '../http/routes/order-page.js'
import { orderHandlers } from '../http/routes/orders.js'
import type { PageSettings } from '../http/routes/page-answers.js'
import { type PaymentPageParts, paymentPageHandlers } from '../http/routes/pay.js'
import { pushedRateHandlers, rateHandlers } from '../http/routes/rates.js'
import { referenceHandlers } from '../http/routes/reference.js'
import { walletScriptHandlers } from '../http/routes/wallet-script.js'
import { walletHandlers } from '../http/routes/wallets.js'
import { deliveryHandlers, webhookConfigurationHandlers } from '../http/routes/webhooks.js'
import { rateSetIn } from '../rates/rate-source.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { sandboxHandlers } from '../sandbox/sandbox-handlers.js'
import { type SandboxRates, sandboxRateHandlers } from '../sandbox/sandbox-rates.js'
import { systemScheduler } from '../scheduler.js'
import type { OwedDelivery } from '../store/outbox.js'
import { catalogueOf } from './catalogue.js'
import type { ClockWatch } from './clock/clock-watch.js'
import type { Core } from './core.js'
import { requestCharge } from './door.js'
import { infoOf } from './info.js'
import { pageNetworksOf } from './pages.js'
import { ratesForOrders, ratesInUse } from './rates.js'

/** Wallets of one network that one client address may lease at once, unless a setting says otherwise. */
const CLAIMS_PER_ADDRESS = 20

/** What the routes are built from, besides the core. */
export interface RouteContext {
  readonly settings: Settings
  readonly clock: Clock
  readonly api: ApiHandlers
  /** Null without the sandbox. */
  readonly sandbox: Sandbox | null
  /** Null without the sandbox. */
  readonly sandboxRates: SandboxRates | null
  readonly identities: KnownIdentities
  /** Null where no ledger is asked. */
  readonly ledgerClient: AskLedgerKeys | null
  readonly clientOf: ClientOf
  readonly limiters: Limiters
  readonly complaints: GatewayComplaints
  readonly clockWatch: Pick<ClockWatch, 'pushed' | 'signed'>
  readonly readiness: Readiness
}

/** All routes of the service, behind the guards that the settings ask for. */
export function allRoutes(core: Core, context: RouteContext): readonly Route[] {
  const { settings, clientOf, limiters } = context
  const isOwnOrigin = ownOrigin(settings.publicUrl)
  return guardedRoutes(allHandlers(core, context), {
    browsers: browserGuard(isOwnOrigin, settings.corsOrigins),
    claimRate: limitRate({
      name: 'claims',
      perMinute: settings.rateLimitClaims,
      clientOf,
      limiters,
      // HEAD claims nothing.
      counts: ({ method }) => method !== 'HEAD',
    }),
    access: accessParts(core, context, isOwnOrigin),
  })
}

function allHandlers(core: Core, context: RouteContext): AllHandlers {
  const { intake } = core
  const { settings, clock, api, sandbox, sandboxRates, complaints, readiness } = context
  return together(
    api,
    healthHandlers(readiness),
    infoHandlers(() => infoOf(settings, sandbox)),
    appHandlers({ isOn: settings.app, ledgerNodes: () => infoOf(settings, sandbox).ledger?.nodes ?? [] }),
    settings.gatewaySecrets.length === 0
      ? {}
      : internalEventsHandlers({ intake, networks: core.store.networks, clock, complaints }),
    settings.rates.kind === 'push' ? pushedRateHandlers((body) => takePushed(core, body)) : {},
    sandbox === null ? {} : sandboxHandlers(sandbox),
    sandboxRates === null ? {} : sandboxRateHandlers(sandboxRates),
  )
}

async function takePushed({ rateIntake }: Pick<Core, 'rateIntake'>, body: Buffer) {
  const read = rateSetIn(body)
  return { at: read.ok ? read.set.at : null, verdict: await rateIntake.take('push', read) }
}

/** What the API and the payment page need: everything but what only a service with a port has. */
export interface ApiCore extends Pick<Core, 'store' | 'directory' | 'engine' | 'testDeliveries'> {
  /** Called with deliveries that are due now. */
  readonly onOwed: (owed: readonly OwedDelivery[]) => void
  readonly openPages: PaymentPageParts['openPages']
}
export type ApiContext = Pick<RouteContext, 'settings' | 'clock' | 'identities' | 'clientOf' | 'limiters'> & {
  readonly isSandbox: boolean
  readonly pages: PageSettings
}

export type ApiHandlers = ReturnType<typeof apiHandlers>

/** The handlers of the API and of the payment page. */
export function apiHandlers(core: ApiCore, context: ApiContext) {
  const { store, directory, engine, testDeliveries, onOwed, openPages } = core
  const { settings, clock, isSandbox, pages, clientOf, limiters } = context
  const basePath = settings.publicUrl === undefined ? '' : new URL(settings.publicUrl).pathname.replace(/\/$/, '')
  const leaseMs = settings.walletLeaseSeconds * 1000
  const charge = requestCharge({ settings, clientOf, limiters })
  const lists = new Lists({ turns: store.turns, clientOf, charge })
  const networks = pageNetworksOf(settings, store.networks)
  const pageParts = { store, lists, pages, networks, openPages, clientOf, clock }
  const claimLimit = new ClaimLimit({
    // The wallets of a sandbox are worth nothing, and its users claim many.
    leasesPerClient: settings.claimsPerAddress ?? (isSandbox ? 0 : CLAIMS_PER_ADDRESS),
    leaseMs,
    clientOf,
    clock,
    isAssigned: async (id) => (await store.wallets.find(id))?.owner != null,
  })
  return together(
    invoiceHandlers({
      invoices: store.invoices,
      directory,
      lists,
      basePath,
      defaultExpirySeconds: settings.invoiceExpirySeconds ?? null,
      networks: store.networks,
    }),
    orderHandlers({
      orders: store.orders,
      directory,
      lists,
      charge,
      basePath,
      defaultExpirySeconds: settings.orderExpirySeconds,
      networks: store.networks,
      wallets: store.wallets,
      ratesNow: () => ratesForOrders(store.rates, ratesInUse(settings)),
      places: priceDecimalsOf(settings),
      now: () => clock.now(),
    }),
    apiKeyHandlers(store.keys, engine, lists),
    webhookConfigurationHandlers(store.webhooks),
    deliveryHandlers({
      tests: testDeliveries,
      outbox: store.outbox,
      lists,
      clock,
      limiters,
      onOwed,
      basePath,
    }),
    eventHandlers({ events: store.events, lists, basePath }),
    walletHandlers({ wallets: store.wallets, lists, claims: claimsOf(settings), leaseMs, claimLimit }),
    identityHandlers(context.identities),
    rateHandlers({ rates: store.rates, clock, ...ratesInUse(settings) }),
    paymentPageHandlers(pageParts),
    orderPageHandlers(pageParts),
    logoHandlers(pages.brand.logo),
    walletScriptHandlers,
    referenceHandlers({ basePath, networks: store.networks.ids, currencies: store.networks.knownCurrencies }),
  )
}

/** Decimal places to which prices are rounded up. The setting was checked when it was read. */
function priceDecimalsOf({ priceDecimals: [token, coin] }: Settings): PriceDecimals {
  return { token: Number(token), coin: Number(coin) }
}

/** The network of each path at which wallets are claimed. */
function claimsOf(settings: Settings): ReadonlyMap<string, Network> {
  return new Map(catalogueOf(settings).map(({ id, claim }) => [claim, id]))
}

function accessParts({ store, pool }: Core, context: RouteContext, isOwnOrigin: IsOwnOrigin): AccessParts {
  const { settings, clock, clientOf, complaints, clockWatch } = context
  const { strict, unsigned, gatewaySecrets: secrets } = settings
  return {
    signedRequests: new SignedRequests(
      store.keys,
      pool,
      clock,
      clientOf,
      new Tarpit(),
      // Without strict mode anyone can be as many merchants as they like.
      strict ? (owner, timestampMs) => clockWatch.signed(owner, timestampMs) : undefined,
    ),
    allowsUnsigned: unsignedPath(strict ? 'off' : unsigned, isOwnOrigin),
    strict: strict
      ? {
          presentKeys: presentKeysOf(store, context),
          senderOf: clientOf,
          invoices: store.invoices,
          orders: store.orders,
        }
      : null,
    gateway:
      secrets.length === 0
        ? null
        : { secrets, clock, complaints, onDated: (timestampMs) => clockWatch.pushed(timestampMs) },
  }
}

function presentKeysOf(store: Core['store'], context: RouteContext): PresentKeys {
  return new PresentKeys({
    identities: store.identities,
    known: context.identities,
    histories: store.ledger,
    ledger: context.ledgerClient,
    onboardingName: onboardingNameOf(context),
    scheduler: systemScheduler,
    now: () => performance.now(),
  })
}

function onboardingNameOf({ settings, sandbox }: RouteContext): string {
  const name = sandbox?.describe().onboardingName ?? settings.onboardingName
  if (name === undefined) throw new Error('strict mode has no onboarding name, which the settings ask for')
  return name
}
