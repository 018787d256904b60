import { statSync } from 'node:fs'
import { readFileStart } from '../base/file-start.js'
import { readFailure } from '../base/read-failure.js'
import type { Settings } from '../config.js'
import type { Logger } from '../log.js'
import { OperatorError } from '../operator-error.js'
import { accentOf } from '../page/accent.js'
import type { Brand } from '../page/brand.js'
import { type Logo, logoOf } from '../page/logo.js'

/** Every payer loads the logo, over a mobile network too. The settings name this bound. */
const LOGO_LIMIT_BYTES = 262_144

/** What the settings say of the shop. Throws `OperatorError` if the logo cannot be shown. */
export function readBrand(settings: Settings, log: Pick<Logger, 'info'>): Brand {
  const { pageName, pageLogo, pageAccent, pageReturnUrl, pageSupport } = settings
  const accent = pageAccent === undefined ? null : accentOf(pageAccent)
  if (accent !== null)
    log.info(accent, 'the payment page has this accent, and these shades of it where it carries text')
  return {
    name: pageName ?? null,
    logo: pageLogo === undefined ? null : readLogo(pageLogo),
    accent,
    returnUrl: pageReturnUrl ?? null,
    support: pageSupport ?? null,
  }
}

function readLogo(path: string): Logo {
  const read = bytesOf(path)
  if ('problem' in read) throw unusable(path, read.problem)
  if (read.bytes.length > LOGO_LIMIT_BYTES) throw unusable(path, `it is longer than ${LOGO_LIMIT_BYTES} bytes`)
  const logo = logoOf(read.bytes)
  if (logo === null) throw unusable(path, 'it is not SVG (with its xmlns), PNG, JPEG or WebP')
  return logo
}

function bytesOf(path: string): { bytes: Buffer } | { problem: string } {
  try {
    const found = statSync(path)
    // Opening a pipe would wait for its other end.
    if (!found.isFile()) return { problem: found.isDirectory() ? 'it is a directory' : 'it is not a file' }
    return { bytes: readFileStart(path, LOGO_LIMIT_BYTES) }
  } catch (error) {
    return { problem: readFailure(error) }
  }
}

function unusable(path: string, why: string): OperatorError {
  return new OperatorError(`BILLHOOK_PAGE_LOGO: cannot use the file ${JSON.stringify(path)}: ${why}`)
}
