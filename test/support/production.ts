import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project-root.js'

/** A variable that deploy/billhook.env sets, or suggests in a comment. */
export interface EnvironmentLine {
  readonly name: string
  readonly value: string
  readonly isSet: boolean
}

/** The text of deploy/billhook.env. */
export const environmentFile = readFileSync(join(projectRoot, 'deploy/billhook.env'), 'utf8')

export const environmentLines: readonly EnvironmentLine[] = environmentFile.split('\n').flatMap((line) => {
  const [, mark, name = '', value = ''] = /^(#?)([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? []
  return mark === undefined ? [] : [{ name, value, isSet: mark === '' }]
})

/** What the file sets, as it is. */
export const unedited: Readonly<Record<string, string>> = valuesOf(environmentLines.filter(({ isSet }) => isSet))

/** What the file suggests besides. */
export const suggested: Readonly<Record<string, string>> = valuesOf(environmentLines.filter(({ isSet }) => !isSet))

/** The environment of a service in production: the file, with what its operator fills in. */
export const productionEnvironment: Readonly<Record<string, string>> = {
  ...unedited,
  BILLHOOK_PUBLIC_URL: 'https://pay.example',
  BILLHOOK_ONBOARDING_NAME: 'onboarding',
  BILLHOOK_GATEWAY_SECRET: '0123456789abcdef0123456789abcdef',
  BILLHOOK_METRICS_PORT: '0',
}

function valuesOf(lines: readonly EnvironmentLine[]): Record<string, string> {
  return Object.fromEntries(lines.map(({ name, value }) => [name, value]))
}
