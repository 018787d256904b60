import { GROUNDS } from './style.js'

/** Red, green and blue, 0 to 255. */
type Colour = readonly [red: number, green: number, blue: number]

/** A colour of the shop, and what becomes of it where it carries text. All as `#rrggbb`. */
export interface Accent {
  readonly given: string
  readonly light: string
  readonly dark: string
}

/** Of text on its ground (WCAG 2.2, 1.4.3, level AA). Borders and focus need less. */
export const CONTRAST_MIN = 4.5

const BLACK: Colour = [0, 0, 0]
const WHITE: Colour = [255, 255, 255]
/** Small enough that no step is seen. */
const STEPS = 64

/** No colour reads well on light and on dark grounds, so each scheme has its own: the nearest shade of the colour that does. */
export function accentOf(given: string): Accent {
  const colour = colourOf(given)
  return { given, light: readable(colour, GROUNDS.light, BLACK), dark: readable(colour, GROUNDS.dark, WHITE) }
}

function readable(colour: Colour, grounds: readonly string[], end: Colour): string {
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = hexOf(mix(colour, end, step / STEPS))
    if (grounds.every((ground) => contrast(mixed, ground) >= CONTRAST_MIN)) return mixed
  }
  return hexOf(end)
}

/** The contrast ratio of two colours, 1 to 21 (WCAG 2.2, definitions). */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(colourOf(one)), luminance(colourOf(other))]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const part = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share)
  return [part(0), part(1), part(2)]
}

function colourOf(hex: string): Colour {
  const part = (start: number) => Number.parseInt(hex.slice(start, start + 2), 16)
  return [part(1), part(3), part(5)]
}

function hexOf(colour: Colour): string {
  return `#${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
