import { basePathOf } from './base-path.js'

/** The tabs of this service in this browser. */
export interface Channel {
  /** Tells the others that the app was locked, or its keys forgotten. */
  tell(): void
}

export function openChannel(onTold: () => void): Channel {
  const channel = new BroadcastChannel(`billhook ${basePathOf(location.pathname)}`)
  channel.addEventListener('message', () => onTold())
  return { tell: () => channel.postMessage('locked') }
}
