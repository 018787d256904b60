import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { AddressGuard } from '../../webhooks/address-guard.js'

/** All addresses of a host name. */
export type AddressesOf = (host: string) => Promise<readonly string[]>

const systemAddresses: AddressesOf = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/**
 * Tells which servers may be on this machine: those at one of its own addresses, and at private ones, since containers and virtual
 * machines share its clock. A host counts as near until its addresses are known.
 */
export class NearHosts {
  private readonly far = new Map<string, boolean>()
  private readonly guard = new AddressGuard({ allowAll: false, allow: [] })

  constructor(
    private readonly addressesOf: AddressesOf = systemAddresses,
    private readonly ownAddresses: () => ReadonlySet<string> = systemOwnAddresses,
  ) {}

  /** `origin` is a URL: scheme, host and port. */
  isNear(origin: string): boolean {
    const isFar = this.far.get(hostOf(origin))
    if (isFar === undefined) void this.learn(origin)
    return isFar !== true
  }

  /** The same, once it is known. A host whose addresses cannot be found counts as near, and they are looked for the next time. */
  async learn(origin: string): Promise<boolean> {
    const host = hostOf(origin)
    this.far.set(host, false)
    try {
      const own = this.ownAddresses()
      const addresses = await this.addressesOf(host)
      const isFar = addresses.every((address) => this.guard.isAllowed(address) && !own.has(address))
      this.far.set(host, isFar)
      return !isFar
    } catch {
      this.far.delete(host)
      return true
    }
  }
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '')
}

function systemOwnAddresses(): ReadonlySet<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []))
}
