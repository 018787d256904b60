import type { Browser, BrowserContext } from 'playwright-core'

/** What a device and its connection are like. */
export interface Profile {
  readonly name: string
  /** How much slower the processor is than that of this machine. */
  readonly slowdown: number
  readonly latencyMs: number
  readonly bytesPerSecond: number
}

const BITS = 8
const PATIENCE_MS = 60_000

/** The profiles of Lighthouse for a phone. */
export const PROFILES: readonly Profile[] = [
  { name: 'slow 4G', slowdown: 4, latencyMs: 150, bytesPerSecond: 1_600_000 / BITS },
  { name: '4G', slowdown: 4, latencyMs: 60, bytesPerSecond: 9_000_000 / BITS },
]

export interface FirstScreen {
  /** First contentful paint, in milliseconds after the address was asked for. */
  readonly firstPaintMs: number
  /** When the first screen could be used. */
  readonly screenMs: number
  /** What came until then, with all headers. */
  readonly bytes: number
  readonly requests: number
}

/** Opens the app as somebody does who was never there: nothing is cached, nothing connected. */
export async function firstScreenOf(
  browser: Browser,
  url: string,
  { slowdown, latencyMs, bytesPerSecond }: Profile,
  locale: string,
): Promise<FirstScreen> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 360, height: 740 }, locale })
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: latencyMs,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    })
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    let bytes = 0
    let requests = 0
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
      requests += 1
    })
    // In the page, where no protocol is between the clock and the screen. The frame after the change has painted it.
    await page.addInitScript(`
      new MutationObserver((_changes, observer) => {
        if (document.querySelector('.ways') === null) return
        observer.disconnect()
        requestAnimationFrame(() => setTimeout(() => { window.firstScreenMs = performance.now() }))
      }).observe(document, { childList: true, subtree: true })
    `)
    await page.goto(`${url}/app`, { waitUntil: 'commit' })
    await page.locator('.ways').waitFor({ timeout: PATIENCE_MS })
    const [until, loaded] = [bytes, requests]
    const screenMs = (await page.evaluate(
      'new Promise((resolve) => setInterval(() => window.firstScreenMs && resolve(window.firstScreenMs), 10))',
    )) as number
    const firstPaintMs = (await page.evaluate(
      `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? window.firstScreenMs`,
    )) as number
    return { firstPaintMs, screenMs, bytes: until, requests: loaded }
  } finally {
    await context.close()
  }
}
