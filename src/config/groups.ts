/** The chapters in which `--help` and docs/settings.md present the settings, in order of presentation. */
export const SETTING_GROUPS = {
  essentials: 'Essentials: where the service listens, where it keeps its data, and what a deployment has to set',
  access: 'Access: who may do what, browsers and proxies',
  limits: 'Limits for clients',
  invoices: 'Invoices and wallets',
  webhooks: 'Webhooks',
  networks: 'Networks that are watched',
  ledger: 'The ledger that is asked and followed',
  observation: 'Logs, metrics and health',
  tuning: 'Tuning: the defaults fit most machines',
} as const

/** A setting belongs to exactly one of them. */
export type SettingGroup = keyof typeof SETTING_GROUPS
