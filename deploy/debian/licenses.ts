import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface LockEntry {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly link?: boolean
}

/** The licences of the npm packages that the service is made of, by `package-lock.json`, one below the other. */
export function packageLicenses(root: string): string {
  const { packages }: { packages: Record<string, LockEntry> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true)
    .flatMap(([path, entry]) => licenseOf(root, path, entry))
    .join('\n')
}

/** Nothing for a package of another system, which is not installed. */
function licenseOf(
  root: string,
  path: string,
  { version, license = 'no licence named', optional }: LockEntry,
): string[] {
  const head = `${path.replace(/^.*node_modules\//, '')} ${version}: ${license}\n`
  let files: string[]
  try {
    files = readdirSync(join(root, path)).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
  } catch (error) {
    if (optional === true) return []
    throw error
  }
  const texts = files.sort().map((name) => readFileSync(join(root, path, name), 'utf8'))
  return [`${'='.repeat(80)}\n${head}\n${texts.join('\n')}`]
}
