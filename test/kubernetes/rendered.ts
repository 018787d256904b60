import type { ManifestFile } from '../support/manifests.js'
import type { Helm } from './helm.js'

/** What a file of plain manifests must be: what Helm renders from the chart with the values of the same name. */
export function renderedFile(helm: Helm, file: ManifestFile): string {
  const { status, stdout, stderr } = helm.template({ file })
  if (status !== 0) throw new Error(stderr)
  return `# Rendered from the chart with values/${file} by \`npm run manifests\`. Replace what is about registry.example, pay.example, your
# ledger and your cluster, or change the values and render it again. docs/kubernetes.md says how.
${stdout.replace(/^# Source: .*\n/gm, '')}`
}
