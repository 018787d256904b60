import type { Signer } from '@billhook/client'
import { NotLoaded } from '../session/loaded.js'
import type { KeyHolder, KeyName } from './holder.js'
import { KeyError } from './key-error.js'
import type { Asked, CallName, Told } from './messages.js'

/** The name of the script, which the build puts in. */
declare const KEY_THREAD: string

interface Waiting {
  resolve(value: unknown): void
  reject(error: unknown): void
}

type Answer<Name extends CallName> = Promise<Awaited<ReturnType<KeyHolder[Name]>>>

/** The page's side of the thread that holds the keys. */
export class KeyThread {
  private readonly worker: Worker
  private readonly waiting = new Map<number, Waiting>()
  private last = 0
  /** Why there is no thread; null where there is one. */
  private missing: NotLoaded | null = null

  /** `onLocked` is called when time has locked the vault. */
  constructor(onLocked: () => void) {
    this.worker = new Worker(threadAddress() as string)
    this.worker.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      if (data === 'locked') return onLocked()
      const waiting = this.waiting.get(data.id)
      this.waiting.delete(data.id)
      if ('value' in data) waiting?.resolve(data.value)
      else waiting?.reject(data.code === null ? new Error(data.message) : new KeyError(data.code))
    })
    this.worker.addEventListener('error', ({ message }: Partial<ErrorEvent>) => {
      // A script that did not come tells nothing of why, and there will be no answer.
      if (message === undefined) this.missing = new NotLoaded('the thread of the keys could not be loaded')
      const error = this.missing ?? new Error(`the thread of the keys failed: ${message}`)
      for (const { reject } of this.waiting.values()) reject(error)
      this.waiting.clear()
    })
  }

  ask<Name extends CallName>(call: Name, ...given: Parameters<KeyHolder[Name]>): Answer<Name> {
    if (this.missing !== null) return Promise.reject(this.missing)
    this.last += 1
    const asked: Asked = { id: this.last, call, given }
    return new Promise((resolve, reject) => {
      this.waiting.set(asked.id, { resolve: resolve as Waiting['resolve'], reject })
      this.worker.postMessage(asked)
    })
  }

  /** Signs in the thread with the key of that name. */
  signer(name: KeyName, publicKey: string): Signer {
    return { publicKey, sign: (digest) => this.ask('sign', name, digest) }
  }
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): unknown }
}

/** The one address that the page may run as a thread (Trusted Types). Browsers without them take the text. */
function threadAddress(): unknown {
  const address = new URL(KEY_THREAD, import.meta.url).href
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
  const allowed = (url: string) => {
    if (url !== address) throw new TypeError('only the thread of the keys may be run')
    return url
  }
  return trustedTypes?.createPolicy('billhook-keys', { createScriptURL: allowed }).createScriptURL(address) ?? address
}
