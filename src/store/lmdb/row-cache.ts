/** Rows that are kept in memory; beyond, all are read anew. */
const LIMIT = 16_384

/**
 * Rows by name or number that commits look up again and again. Only what runs inside a commit may fill a cache, and change a row
 * there that can change: a reader sees the rows before as long as the commit is not flushed. After an aborted commit the
 * cache must forget everything, because what was made in it is gone.
 */
export class RowCache<V, Name = string> {
  private readonly rows = new Map<Name, V>()

  get(name: Name): V | undefined {
    return this.rows.get(name)
  }

  set(name: Name, row: V): void {
    if (this.rows.size >= LIMIT) this.rows.clear()
    this.rows.set(name, row)
  }

  drop(name: Name): void {
    this.rows.delete(name)
  }

  forget(): void {
    this.rows.clear()
  }
}
