/** The chapters in which `--help` and docs/settings.md present the settings, in order of presentation. */
export const SETTING_GROUPS = {
  essentials: 'Essentials: where the service listens and keeps its data, and what every deployment sets',
  access: 'Access: signatures, browsers and proxies',
  limits: 'Limits for client addresses',
  invoices: 'Invoices, wallets and retention',
  webhooks: 'Webhooks',
  networks: 'Watched networks',
  ledger: 'Ledger',
  observation: 'Logs, metrics and health',
  tuning: 'Tuning: the defaults fit most machines',
} as const

/** Every setting belongs to exactly one chapter. */
export type SettingGroup = keyof typeof SETTING_GROUPS
