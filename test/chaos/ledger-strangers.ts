import type { Random } from '../simulation/random.js'
import { type TestKey, testKey } from '../support/signing.js'
import { type SignedBy, UNVERIFIED } from './ledger-transactions.js'
import { ODD_SPELLINGS, type ScriptedLedger, type SignedIdentity } from './scripted-ledger.js'

/** Who commits what nodes let anyone commit, and what only looks like something. None of it may be believed. */
export class LedgerStrangers {
  constructor(
    private readonly ledger: ScriptedLedger,
    private readonly random: Random,
  ) {}

  /** `free`: wallets that nobody owns on the ledger. */
  act({ id, keys }: SignedIdentity, free: readonly string[]): void {
    const { ledger, random } = this
    const wallet = free[random.below(free.length)]
    const present = keys.at(-1)?.key
    if (wallet === undefined || present === undefined) return
    const stranger = testKey('stranger')
    switch (random.weighted({ unsigned: 3, forged: 2, replaced: 4, odd: 2, takeover: 2, replay: 1, noise: 3 })) {
      case 'unsigned':
        ledger.assign(wallet, id, this.unsigned())
        return
      case 'forged':
        ledger.assign(wallet, id, this.by(stranger, 0.5))
        return
      case 'replaced': {
        // Who has stolen a key still has it.
        const old = keys.slice(0, -1)[random.below(keys.length - 1)]?.key ?? stranger
        ledger.assign(wallet, id, this.by(old, 0.2))
        return
      }
      case 'odd':
        ledger.assign(wallet, id, { form: 'text', key: present }, random.pick(ODD_SPELLINGS))
        return
      case 'takeover':
        ledger.replace(
          id,
          stranger,
          random.chance(0.5) ? this.unsigned() : { form: 'object', key: keys.at(-2)?.key ?? stranger },
        )
        return
      case 'replay':
        // Of a replacement that was in force: by the key that it replaced.
        ledger.replace(id, present, { form: 'text', key: keys.at(-2)?.key ?? stranger })
        return
      case 'noise':
        ledger.say(id, this.unsigned(), random.chance(0.5))
    }
  }

  /** `text`: how often nodes are let verify it. */
  private by(key: TestKey, text: number): SignedBy {
    return this.random.chance(text) ? { form: 'text', key } : { form: 'object', key }
  }

  private unsigned(): SignedBy {
    return { form: 'unsigned', how: this.random.pick(UNVERIFIED) }
  }
}
