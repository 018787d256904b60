import { access, limits } from './chapters/access.js'
import { commands } from './chapters/commands.js'
import { essentials } from './chapters/essentials.js'
import { invoices } from './chapters/invoices.js'
import { ledger } from './chapters/ledger.js'
import { networks } from './chapters/networks.js'
import { observation } from './chapters/observation.js'
import { page } from './chapters/page.js'
import { priceRates } from './chapters/rates.js'
import { tuning } from './chapters/tuning.js'
import { webhooks } from './chapters/webhooks.js'
import type { Setting } from './setting.js'

/** The chapters of `--help` and docs/settings.md with their settings, in order. */
export const settingChapters = {
  'Essentials: where the service listens and keeps its data, and what every deployment sets': essentials,
  'Access: signatures, browsers and proxies': access,
  'Limits for client addresses': limits,
  'Invoices, wallets, retention and backups': invoices,
  'Payment page: what makes it yours': page,
  'Rates: what a coin costs in the currency of a price': priceRates,
  Webhooks: webhooks,
  'Watched networks': networks,
  Ledger: ledger,
  'Logs, metrics and health': observation,
  'Tuning: the defaults fit most machines': tuning,
  'Commands of a merchant: which service they reach, and as whom (serve does not use them)': commands,
} satisfies Readonly<Record<string, Readonly<Record<string, Setting<unknown>>>>>

/** Every setting. The type `Settings`, the checks, `--help` and docs/settings.md are derived from this schema. */
export const settingsSchema = {
  ...essentials,
  ...access,
  ...limits,
  ...invoices,
  ...page,
  ...priceRates,
  ...webhooks,
  ...networks,
  ...ledger,
  ...observation,
  ...tuning,
  ...commands,
}

/** Every setting with its name, in the order of `--help`. */
export const settingEntries: readonly (readonly [string, Setting<unknown>])[] = Object.entries(settingsSchema)
