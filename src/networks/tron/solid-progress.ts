/**
 * 19 of 27 producers confirm a block, so 18 blocks wait, and up to 26 where other producers take their turns. Where more wait,
 * the solidified side is behind.
 */
export const UNCONFIRMED_MAX = 32
/** Almost every new block makes an older one solidified. While so many come without it, the solidified side stands. */
export const STANDING_BLOCKS = 14

/** Notices when what a node calls solidified does not keep up with its newest block. */
export class SolidProgress {
  /** The newest solidified block, and the newest of all when it was first seen to be that. */
  private moved: { readonly solid: number; readonly latest: number } | null = null

  /** Notes what the node has just said. */
  note(latest: number, solid: number): void {
    if (this.moved?.solid !== solid) this.moved = { solid, latest }
  }

  /** How many blocks wait to be solidified when these are too many, or none of them gets on, as far as is known; null otherwise. */
  waiting(latest: number): number | null {
    if (this.moved === null) return null
    const unconfirmed = latest - this.moved.solid
    const isStanding = latest - this.moved.latest > STANDING_BLOCKS
    return unconfirmed > 0 && (isStanding || unconfirmed > UNCONFIRMED_MAX) ? unconfirmed : null
  }
}
