import { createHash } from 'node:crypto'
import { LANGUAGES, type Language } from './language.js'
import { en, type TextKey } from './languages/en.js'
import { WALLET_SCRIPT } from './wallet-program.js'

/** The script for browser wallets in a language. Pages load it where there is such a wallet. */
export interface WalletScript {
  /** Its name under `/pay/shop/wallet/`, which changes with the contents. */
  readonly file: string
  /** Its address, relative to that of what belongs to the shop (`PageFrame.shopPath`). */
  readonly path: string
  readonly body: string
}

const HASH_LENGTH = 12

const KEYS = (Object.keys(en) as TextKey[]).filter((key) => key.startsWith('wallet'))

function scriptIn({ code, texts }: Language): WalletScript {
  const own = Object.fromEntries(KEYS.map((key) => [key, texts[key]]))
  const body = `((texts) => {${WALLET_SCRIPT}})(${JSON.stringify(own)})\n`
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, HASH_LENGTH)
  const file = `${code}-${hash}.js`
  return { file, path: `wallet/${file}`, body }
}

const scripts: ReadonlyMap<string, WalletScript> = new Map(
  LANGUAGES.map((language) => [language.code, scriptIn(language)]),
)

export function walletScript({ code }: Language): WalletScript {
  const script = scripts.get(code)
  if (script === undefined) throw new Error(`there is no script in ${code}`)
  return script
}

/** By the name of the file. */
export function walletScriptNamed(file: string): WalletScript | null {
  return [...scripts.values()].find((script) => script.file === file) ?? null
}
