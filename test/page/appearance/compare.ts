import pixelmatch from 'pixelmatch'
import sharp from 'sharp'

/** How far two pixels may be apart, from 0 to 1, and how many may be further apart. What looks like smoothing is not counted. */
interface Tolerance {
  readonly threshold: number
  readonly pixels: number
}

/**
 * Both must hold. What moved, came or went has other shapes, so hardly a pixel may differ much. What got another shade
 * differs little, in the many pixels of a ground or a border: a ground that turns from #f3f4f6 to white counts. Chromium
 * 147 draws every pixel as 156 does; 131 gives the edges of letters another contrast, which is up to 940 pixels of a page.
 */
const TOLERANCES: readonly Tolerance[] = [
  { threshold: 0.2, pixels: 20 },
  { threshold: 0.04, pixels: 1200 },
]

/** As PNG in at most 256 colours: a fraction of the size, and flat colours stay exact. */
export function packed(png: Buffer): Promise<Buffer> {
  return sharp(png).removeAlpha().png({ palette: true, dither: 0, effort: 10, compressionLevel: 9 }).toBuffer()
}

/** What sets two pictures apart, with a picture of it where they have the same size; null if nothing that counts. */
export async function difference(
  actual: Buffer,
  expected: Buffer,
): Promise<{ readonly what: string; readonly picture: Buffer | null } | null> {
  const [a, b] = await Promise.all([pixelsOf(actual), pixelsOf(expected)])
  const { width, height } = a.info
  if (width !== b.info.width || height !== b.info.height) {
    return { what: `is ${width} × ${height} pixels instead of ${b.info.width} × ${b.info.height}`, picture: null }
  }
  for (const { threshold, pixels } of TOLERANCES) {
    const count = pixelmatch(a.data, b.data, undefined, width, height, { threshold })
    if (count <= pixels) continue
    const shown = Buffer.alloc(a.data.length)
    pixelmatch(a.data, b.data, shown, width, height, { threshold })
    const picture = await sharp(shown, { raw: { width, height, channels: 4 } })
      .png()
      .toBuffer()
    return { what: `differs in ${count} pixels by more than ${threshold}`, picture }
  }
  return null
}

function pixelsOf(png: Buffer) {
  return sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
}
