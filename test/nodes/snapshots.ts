import assert from 'node:assert/strict'

type Ask = (method: string, ...params: readonly unknown[]) => Promise<unknown>

/** A snapshot of each block of a development node, to go back to (`evm_snapshot`, `evm_revert`). */
export class Snapshots {
  private readonly byHeight = new Map<number, unknown>()

  private constructor(private readonly ask: Ask) {}

  /** Those of a node that was started just now. */
  static async of(ask: Ask): Promise<Snapshots> {
    const snapshots = new Snapshots(ask)
    await snapshots.take()
    return snapshots
  }

  /** Takes one of the newest block. */
  async take(): Promise<void> {
    this.byHeight.set(Number(await this.ask('eth_blockNumber')), await this.ask('evm_snapshot'))
  }

  /** Makes the block of a height the newest one. */
  async rewind(height: number): Promise<void> {
    const reverted = await this.ask('evm_revert', this.byHeight.get(height) ?? assert.fail(`no snapshot of ${height}`))
    assert.equal(reverted, true)
    // A snapshot can be used once.
    await this.take()
  }
}
