/** The bill of materials of a binary, in CycloneDX: Node with what it is made of, and every package of which code is inside. */

import { Enums, Models, Serialize, Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { VERSION } from '../../src/version.js'
import { lockedPackage, type Pinned } from './packages.js'

export interface Contents {
  /** SHA-256 of the file, in hex. */
  readonly sum: string
  readonly target: string
  readonly node: Pinned
  /** What Node says of its parts: name and version. */
  readonly partsOfNode: Readonly<Record<string, string>>
  /** Directories in `node_modules` of the packages of which code or a native module is inside. */
  readonly packages: readonly string[]
}

/** The text of the bill, which names no time and no random number. Rejects when it is not valid CycloneDX. */
export async function billOfMaterials({ sum, target, node, partsOfNode, packages }: Contents): Promise<string> {
  const bill = new Models.Bom()
  const billhook = new Models.Component(Enums.ComponentType.Application, 'billhook', {
    bomRef: 'billhook',
    version: VERSION,
    purl: `${purl('billhook', VERSION)}?target=${target}`,
    licenses: licences('MIT'),
    hashes: new Models.HashDictionary([[Enums.HashAlgorithm['SHA-256'], sum]]),
  })
  bill.metadata.component = billhook
  const inside = [nodeComponent(node, partsOfNode), ...[...new Set(packages)].sort().map(packageComponent)]
  for (const component of inside) {
    bill.components.add(component)
    billhook.dependencies.add(component.bomRef)
  }
  const text = `${new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)).serialize(bill, { sortLists: true, space: 2 })}\n`
  const problems = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)
  if (problems !== null) throw new Error(`the bill of materials is not valid: ${JSON.stringify(problems)}`)
  return text
}

function nodeComponent(pinned: Pinned, parts: Readonly<Record<string, string>>): Models.Component {
  const node = packageOf(pinned, Enums.ComponentType.Platform)
  const own = ['node', 'modules', 'napi']
  for (const [name, version] of Object.entries(parts).filter(([name]) => !own.includes(name))) {
    const bomRef = `${node.purl}#${name}`
    node.components.add(new Models.Component(Enums.ComponentType.Library, name, { bomRef, version }))
  }
  return node
}

function packageComponent(directory: string): Models.Component {
  const { license, ...pinned } = lockedPackage(directory)
  return packageOf(pinned, Enums.ComponentType.Library, license)
}

function packageOf(
  { package: full, version, integrity }: Pinned,
  type: Enums.ComponentType,
  licence?: string,
): Models.Component {
  const [name = '', group] = full.split('/').reverse()
  const hash = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
  return new Models.Component(type, name, {
    ...(group === undefined ? {} : { group }),
    bomRef: purl(full, version),
    version,
    purl: purl(full, version),
    licenses: licences(licence),
    hashes: new Models.HashDictionary([[Enums.HashAlgorithm['SHA-512'], hash]]),
  })
}

function licences(expression: string | undefined): Models.LicenseRepository {
  return new Models.LicenseRepository(expression === undefined ? [] : [new Models.LicenseExpression(expression)])
}

function purl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}
