/** What whoever gets a key needs, for people and programs. */
export interface KeyParts {
  readonly url: string
  readonly owner: string
  readonly label: string
  readonly publicKey: string
  readonly privateKey: string
}

/** The file with a key. The app takes its fields (`screens/given-key.tsx`); `billhook` and the client take the private key. */
export function keyFile({ url, owner, label, publicKey, privateKey }: KeyParts): string {
  return `${JSON.stringify({ url, owner, label, publicKey, privateKey }, null, 2)}\n`
}

/** The lines for a program in JavaScript. Texts are written as JSON, so none of them ends its quotes. */
export function clientLines({ url, owner, privateKey }: KeyParts): string {
  return [
    "import { Billhook } from '@billhook/client'",
    '',
    'const billhook = new Billhook({',
    `  url: ${JSON.stringify(url)},`,
    `  owner: ${JSON.stringify(owner)},`,
    `  privateKey: ${JSON.stringify(privateKey)},`,
    '})',
  ].join('\n')
}

/** What a file of `keyFile` says; null for another text. */
export function readKeyFile(text: string): { readonly owner: string; readonly privateKey: string } | null {
  try {
    const { owner, privateKey } = JSON.parse(text) as Partial<Record<string, unknown>>
    return typeof owner === 'string' && typeof privateKey === 'string' ? { owner, privateKey } : null
  } catch {
    return null
  }
}
