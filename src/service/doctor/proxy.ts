import { request } from 'undici'
import { type Examination, type Finding, failed, ok, skipped, warning } from './examination.js'
import type { ProxyProbe } from './proxy-probe.js'

const TIMEOUT_MS = 5000
const NAME = 'public URL'
/** An address of the documentation network (RFC 5737): no client has it. */
const FORGED = '203.0.113.77'
/** What a proxy must keep inside, and the text by which our own answer is recognised. */
const INTERNAL = [
  { method: 'GET', path: '/healthz', sign: '"status":"ok"' },
  { method: 'GET', path: '/readyz', sign: '"status":' },
  { method: 'POST', path: '/internal/events', sign: 'gateway_signature' },
  { method: 'GET', path: '/metrics', sign: 'billhook_' },
] as const

/** How requests arrive through the proxy: whether at all, which client they count for, and what it lets through. */
export const examineProxy: Examination = async ({ settings, running }) => {
  const { publicUrl } = settings
  if (publicUrl === undefined) return [skipped(NAME, 'BILLHOOK_PUBLIC_URL is not set.')]
  if (running === null) return [skipped(NAME, 'No service runs that could answer there.')]
  const arrival = await arrivalThrough(publicUrl, running.probe, settings.trustedProxies)
  return [arrival, ...(arrival.verdict === 'failed' ? [] : await leaks(publicUrl))]
}

async function arrivalThrough(publicUrl: string, probe: ProxyProbe, trusted: readonly string[]): Promise<Finding> {
  const { requestId, arrival, cancel } = probe.expect()
  try {
    const { statusCode, body } = await request(`${publicUrl}/api/identity/doctor/exists`, {
      headers: { 'x-request-id': requestId, 'x-forwarded-for': FORGED },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await body.dump()
    // A request that came here arrived before its answer.
    const seen = await Promise.race([arrival, Promise.resolve(null)])
    if (seen === null) {
      const advice = 'Point the proxy to this service, and let it pass X-Request-Id.'
      return failed(NAME, `${publicUrl} answers ${statusCode}, but the request did not come here.`, advice)
    }
    // A proxy on this machine may append an address that is trusted itself; what precedes it is then read too.
    const isAppended = seen.forwardedFor.split(',').at(-1)?.trim() !== FORGED
    if (seen.client === FORGED && !isAppended) {
      const advice = 'Let the proxy append to X-Forwarded-For, and name only proxies in BILLHOOK_TRUSTED_PROXIES.'
      return failed(NAME, 'A client can choose the address that it counts for.', advice)
    }
    if (isAppended && seen.forwardedFor !== '' && trusted.length === 0) {
      const advice = `Set BILLHOOK_TRUSTED_PROXIES to the proxy's address (${seen.peer}).`
      return warning(NAME, 'All clients of the proxy count as one, because no proxy is trusted.', advice)
    }
    return ok(NAME, `${publicUrl} leads here, from ${seen.peer}, and clients are told apart.`)
  } catch (error) {
    const advice =
      'Check its DNS name, certificate and proxy. Some networks do not let a machine reach its own public address.'
    return failed(NAME, `${publicUrl} cannot be reached: ${(error as Error).message}.`, advice)
  } finally {
    cancel()
  }
}

async function leaks(publicUrl: string): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const { method, path, sign } of INTERNAL) {
    const { body } = await request(`${publicUrl}${path}`, { method, signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!(await body.text()).includes(sign)) continue
    findings.push(
      warning('proxy', `${path} can be reached from outside.`, 'Let the proxy answer it with 404: see deploy/.'),
    )
  }
  return findings.length > 0 ? findings : [ok('proxy', 'Nothing internal can be reached from outside.')]
}
