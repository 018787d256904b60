/** Where an event stands among those of its owner. */
export interface EventPosition {
  readonly timeMs: number
  readonly count: number
}
