import { concatenated, utf8 } from './bytes.js'
import { type Signer, signatureOf } from './signer.js'

/**
 * The three headers that sign a request, for a program that sends it in its own way. `tag` is the method and the pattern of the endpoint,
 * as in `POST /api/invoices/:id/void`; `body` is what is sent. The service accepts five minutes of difference from its own clock.
 *
 * @example
 * ```js
 * import { keySigner, signedHeaders } from '@billhook/client'
 *
 * const headers = await signedHeaders(keySigner(privateKey), 'POST /api/invoices/:id/void')
 * const answer = await fetch(`${url}/api/invoices/${invoice.id}/void`, { method: 'POST', headers })
 * console.log(answer.status) // 200
 * ```
 */
export async function signedHeaders(
  signer: Signer,
  tag: string,
  body: Uint8Array | string = '',
  nowMs: number = Date.now(),
): Promise<Record<string, string>> {
  const timestamp = String(nowMs)
  const bytes = typeof body === 'string' ? utf8(body) : body
  return {
    'X-Service-Api-Key': signer.publicKey,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': await signatureOf(signer, concatenated(utf8(`${tag}\n${timestamp}\n`), bytes)),
  }
}
