import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'
import { originOf } from '../../domain/webhook.js'
import type { NetworkEntry } from '../../networks/catalogue/entry.js'
import type { NodeFact } from '../../networks/node/node-fact.js'
import { AddressGuard } from '../../webhooks/address-guard.js'
import { catalogueOf } from '../catalogue.js'
import { isPrivateToMachine } from '../exposure.js'
import { readerOf } from '../networks.js'
import { type DoctorContext, type Examination, type Finding, failed, ok, skipped, warning } from './examination.js'

const TIMEOUT_MS = 5000
/** Destinations of webhooks that are tried. */
const DESTINATIONS_MAX = 20
/** Owners whose webhook settings are looked at. */
const OWNERS_MAX = 1000

/** Each node of each watched network by itself: that it is of the network, knows the token, how far it is, and what it offers. */
export const examineNetworks: Examination = async (context) => {
  const findings: Finding[] = []
  for (const entry of catalogueOf(context.settings)) {
    if (entry.urls.length === 0) findings.push(skipped(entry.id, 'It is not watched.'))
    else findings.push(...(await examineNodes(context, entry)))
  }
  return findings
}

async function examineNodes({ settings, clock, log }: DoctorContext, entry: NetworkEntry): Promise<readonly Finding[]> {
  const network = entry.id
  const reader = readerOf(entry, { settings, clock, log })
  if (reader === null) return [skipped(network, 'It is not watched.')]
  try {
    const nodes = await reader.examine()
    return nodes.flatMap(({ endpoint, facts }) => facts.map((fact) => findingOf(network, endpoint, fact)))
  } finally {
    await reader.close()
  }
}

function findingOf(network: string, endpoint: string, { verdict, text, advice }: NodeFact): Finding {
  const sentence = `${endpoint} ${text}.`
  switch (verdict) {
    case 'ok':
      return ok(network, sentence)
    case 'warning':
      return warning(network, sentence, advice ?? 'See docs/networks.md for what it means.')
    case 'failed':
      return failed(network, sentence, advice ?? 'Check the address, the key and the firewall.')
  }
}

/** Whether the default callbacks of owners can be reached from here. Nothing is sent to them. */
export const examineCallbacks: Examination = async ({ settings, running }) => {
  if (running === null) return [skipped('callbacks', 'No service runs whose webhooks could be tried.')]
  const { overview, webhooks } = running.store
  const { items } = await overview.owners({ after: null, limit: OWNERS_MAX })
  const origins = new Set<string>()
  for (const { owner } of items) {
    const { callback_url } = await webhooks.find(owner)
    const origin = callback_url === null ? null : originOf(callback_url)
    if (origin !== null && origins.size < DESTINATIONS_MAX) origins.add(origin)
  }
  if (origins.size === 0) return [skipped('callbacks', 'No owner has a default callback.')]
  const guard = new AddressGuard({ allowAll: isPrivateToMachine(settings), allow: settings.callbackAllow })
  return await Promise.all([...origins].map((origin) => examineCallback(new URL(origin), guard)))
}

async function examineCallback(url: URL, guard: AddressGuard): Promise<Finding> {
  const name = 'callbacks'
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  try {
    const { address } = await lookup(hostname)
    if (!guard.isAllowed(address)) {
      const advice = 'If it is meant, name the network in BILLHOOK_CALLBACK_ALLOW.'
      return warning(name, `${url.origin} is at ${address}, which is not public: nothing is sent there.`, advice)
    }
    await connected(address, Number(url.port || (url.protocol === 'https:' ? 443 : 80)))
    return ok(name, `${url.origin} takes connections.`)
  } catch (error) {
    const advice = 'Tell the merchant, or open the firewall.'
    return warning(name, `${url.origin} cannot be reached: ${(error as Error).message}.`, advice)
  }
}

function connected(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS })
    socket.once('error', reject)
    socket.once('timeout', () => socket.destroy(new Error(`no connection within ${TIMEOUT_MS} ms`)))
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
  })
}
