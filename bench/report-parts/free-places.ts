/** Places for labels that must not lie on each other. Pixels, from the upper left corner. */

export interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

/** The first of `candidates` that is clear of all `taken`, or null. */
export function firstFree(candidates: readonly Box[], taken: readonly Box[]): Box | null {
  return candidates.find((candidate) => !taken.some((other) => overlap(candidate, other))) ?? null
}

export interface Block {
  /** Where its middle should be. */
  readonly wanted: number
  readonly height: number
}

/** Middles for blocks in one column, in the order given: as near as a single pass gets to what each wants, none over another. */
export function stack(blocks: readonly Block[], top: number, bottom: number): number[] {
  const order = blocks.map((_, n) => n).sort((a, b) => wantedOf(blocks[a]) - wantedOf(blocks[b]))
  const tops = new Map<number, number>()
  let free = top
  for (const n of order) {
    const place = Math.max(free, wantedOf(blocks[n]) - heightOf(blocks[n]) / 2)
    tops.set(n, place)
    free = place + heightOf(blocks[n])
  }
  let limit = bottom
  for (const n of order.reverse()) {
    const place = Math.min(tops.get(n) ?? top, limit - heightOf(blocks[n]))
    tops.set(n, place)
    limit = place
  }
  return blocks.map((block, n) => (tops.get(n) ?? top) + block.height / 2)
}

function wantedOf(block: Block | undefined): number {
  return block?.wanted ?? 0
}

function heightOf(block: Block | undefined): number {
  return block?.height ?? 0
}
