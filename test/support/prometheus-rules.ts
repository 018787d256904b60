import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from './project-root.js'

/** An alert of `deploy/prometheus/billhook.rules.yml`. */
export interface AlertRule {
  readonly name: string
  readonly expression: string
  /** How long the expression must hold before the alert fires; null when it fires at once. */
  readonly lasting: string | null
  readonly severity: string
  readonly summary: string
  readonly description: string
  /** Where the docs say more: a path in the project, with an anchor or without. */
  readonly page: string
}

interface RulesFile {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string
      readonly expr: string
      readonly for?: string
      readonly labels: { readonly severity: string }
      readonly annotations: { readonly summary: string; readonly description: string; readonly page: string }
    }[]
  }[]
}

export function alertRules(): readonly AlertRule[] {
  const { groups }: RulesFile = parse(readFileSync(join(projectRoot, 'deploy/prometheus/billhook.rules.yml'), 'utf8'))
  return groups
    .flatMap(({ rules }) => rules)
    .map(({ alert, expr, for: lasting = null, labels, annotations }) => ({
      name: alert,
      expression: expr,
      lasting,
      severity: labels.severity,
      ...annotations,
    }))
}
