/** Shorter loads show that a script runs, and nothing else. */
export const JUDGED_SECONDS_MIN = 5

/** Which promises of the figures held. */
export class Verdicts {
  private readonly broken: string[] = []
  private kept = 0

  /** `seconds`: how long each load lasts. */
  constructor(
    private readonly seconds: number,
    private readonly say: (line: string) => void,
  ) {}

  judge(promise: string, isKept: boolean): void {
    if (isKept) this.kept += 1
    else this.broken.push(promise)
  }

  /** Says how many held, and which did not. False when one did not, unless the loads were too short to tell. */
  conclude(): boolean {
    if (this.kept + this.broken.length === 0) return true
    if (this.seconds < JUDGED_SECONDS_MIN) {
      this.say(`loads of less than ${JUDGED_SECONDS_MIN} seconds: nothing was judged`)
      return true
    }
    this.say(`promises kept: ${this.kept}`)
    for (const promise of this.broken) this.say(`BROKEN: ${promise}`)
    return this.broken.length === 0
  }
}
