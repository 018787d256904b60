import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { peerAddress } from '../guards/client-address.js'

/** The address of a connection that is open. */
export function peerOf(res: HttpResponse): string {
  return peerAddress(Buffer.from(res.getRemoteAddressAsText()).toString('latin1'))
}

let captured: string[] = []

function capture(name: string, value: string): void {
  captured.push(name, value)
}

/**
 * All headers. One `forEach` costs about as much as the look-ups that a signed request needs (measured: 0.5 µs for 4
 * headers and 1.2 µs for 13, against 0.6 µs for six look-ups), and unlike them it sees repeated and empty headers.
 */
export function captureHeaders(req: HttpRequest): readonly string[] {
  const headers: string[] = []
  captured = headers
  req.forEach(capture)
  return headers
}
