import { WrongNode } from './network-reader.js'
import type { NodeFact } from './node/node-fact.js'

/** A token of a network, as one node knows it. */
export interface TokenCheck {
  /** As configured, for people. */
  readonly symbol: string
  readonly decimals: number
  /** Whether its decimals are believed, and the node may be able to tell them by now; absent where that is found out anew each time. */
  readonly isToBeAsked?: boolean
  /**
   * Rejects with `WrongNode` when the contract is none, or has not the configured decimals, with which amounts would be wrong. Returns
   * null when they are proven, and else why they have to be believed.
   */
  check(): Promise<string | null>
  /** What the token calls itself; null when that cannot be read. */
  ownSymbol(): Promise<string | null>
}

const ADVICE = {
  believed: 'Compare the decimals with an explorer: with others every amount would be wrong.',
  wrong:
    'No payment in it is seen until it is corrected in the settings; the others are. Then have "billhook reconcile" find what came meanwhile.',
}

/**
 * The tokens of a network at one node. One that is not what the settings say is not read, and says so; the others are. Where that is
 * all of them, the node or the settings are of something else. So they are where one that was right before is another now: a node
 * that goes on without it would have its deposits dropped.
 */
export class TokenChecks<T extends TokenCheck> {
  private readonly believed = new Map<T, string>()
  private readonly wrong = new Map<T, string>()
  /** Those that were what the settings say. */
  private readonly right = new Set<T>()

  /** `warn` is called with a sentence about what is believed, or not read. */
  constructor(
    private readonly all: readonly T[],
    private readonly warn: (text: string) => void,
  ) {}

  /** Rejects with `WrongNode` when no token is what the settings say, or one is no more. */
  async check(): Promise<void> {
    const flaws: WrongNode[] = []
    for (const token of this.all) {
      try {
        this.noteBelieved(token, await token.check())
        this.wrong.delete(token)
        this.right.add(token)
      } catch (error) {
        if (!(error instanceof WrongNode) || this.right.has(token)) throw error
        flaws.push(error)
        // Where it is the only one, nothing of the network is read.
        if (this.all.length > 1) this.noteWrong(token, error.message)
      }
    }
    const [first] = flaws
    if (first !== undefined && flaws.length === this.all.length) throw first
  }

  /** Those that are read. */
  get sound(): readonly T[] {
    return this.wrong.size === 0 ? this.all : this.all.filter((token) => !this.wrong.has(token))
  }

  /** Why others are not read; null when all are. */
  get flaw(): string | null {
    const [flaw] = [...this.wrong].map(([{ symbol }, why]) => `the token ${symbol} is not read: ${why}`)
    return flaw ?? null
  }

  get isToBeAsked(): boolean {
    return this.all.some(({ isToBeAsked }) => isToBeAsked === true)
  }

  /** What was found out about each. `network`: how the node has shown of which network it is. */
  async facts(network: string): Promise<readonly NodeFact[]> {
    const facts: NodeFact[] = []
    for (const [i, token] of this.all.entries()) facts.push(await this.fact(token, i === 0 ? network : null))
    return facts
  }

  private async fact(token: T, network: string | null): Promise<NodeFact> {
    const { decimals } = token
    const its = `its token${this.nameOf(token)}`
    const wrong = this.wrong.get(token)
    const after = (mark: string) => (network === null ? '' : `${network}${mark} `)
    if (wrong !== undefined)
      return { verdict: 'failed', text: `${after(', and')}${its} is not read: ${wrong}`, advice: ADVICE.wrong }
    const believed = this.believed.get(token)
    if (believed !== undefined) {
      const text = `${after(';')}that ${its} has ${decimals} decimals is believed as configured, not read: ${believed}`
      return { verdict: 'warning', text, advice: ADVICE.believed }
    }
    const symbol = await token.ownSymbol()
    const name = symbol === null ? 'has no readable symbol' : `calls itself ${symbol}`
    return { verdict: 'ok', text: `${after(', and')}${its} ${name} with ${decimals} decimals` }
  }

  private noteBelieved(token: T, why: string | null): void {
    if (why === null) this.believed.delete(token)
    else if (this.believed.get(token) !== why) {
      this.believed.set(token, why)
      this.warn(`the decimals of the token${this.nameOf(token)} are believed as configured: ${why}`)
    }
  }

  private noteWrong(token: T, why: string): void {
    if (this.wrong.get(token) === why) return
    this.wrong.set(token, why)
    this.warn(`the token${this.nameOf(token)} is not read: ${why}`)
  }

  /** Behind the word token, where there are several. */
  private nameOf({ symbol }: T): string {
    return this.all.length === 1 ? '' : ` ${symbol}`
  }
}
