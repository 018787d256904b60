import { type Currency, NATIVE, USDT } from '../../../domain/amount.js'
import { OperatorError } from '../../../operator-error.js'
import type { Named } from './keys.js'
import { CorruptRecord } from './record-codec.js'
import type { ReadTable, Table } from './tables.js'

/*
 * The numbers that stand for currencies in keys and records.
 *
 *     currencies   number (1) → currency
 *
 * The first two, which every store has, are in no row. A token gets its number in the commit that remembers the first network that
 * has it, which is before anything can be recorded in it, and keeps it for ever: a number that a reader knows is right whatever is
 * written meanwhile.
 */

export type CurrencyNo = Named<number, 'currency'>

const FIRST: readonly Currency[] = [NATIVE, USDT]
const NATIVE_NO = 0 as CurrencyNo
const USDT_NO = 1 as CurrencyNo

/** Maximum number of currencies that a store ever has: a key has six bits for them (`classByte`). */
export const CURRENCIES_MAX = 64

/** The numbers, as a table has them. */
export class CurrencyNumbers {
  private names: readonly Currency[] = FIRST
  private numbers: ReadonlyMap<Currency, CurrencyNo> = new Map()

  /** `table`: undefined for data in which there is none. */
  constructor(private readonly table: Pick<ReadTable, 'getRange'> | undefined) {}

  /** The number of a currency that a network has or had. */
  noOf(currency: Currency): CurrencyNo {
    if (currency === NATIVE) return NATIVE_NO
    if (currency === USDT) return USDT_NO
    const no = this.numberOf(currency)
    if (no === undefined) throw new Error(`no network has had the currency ${currency}`)
    return no
  }

  /** The same for a record that may be damaged. */
  numberOf(currency: Currency): CurrencyNo | undefined {
    return this.numbers.get(currency) ?? this.read().numbers.get(currency)
  }

  /** The currency that a record names. Throws `CorruptRecord` where there is none of the number. */
  nameOf(no: number): Currency {
    const name = this.find(no)
    if (name === undefined) throw new CorruptRecord(`there is no currency ${no}`)
    return name
  }

  find(no: number): Currency | undefined {
    return this.names[no] ?? this.read().names[no]
  }

  /** Reads the rows that have come since. */
  private read(): this {
    const names = [...FIRST]
    for (const { key, value } of this.table?.getRange() ?? []) names[key[0] ?? 0] = value.toString()
    this.names = names
    this.numbers = new Map(names.map((name, no) => [name, no as CurrencyNo]))
    return this
  }
}

/** Gives a currency a number, unless it has one. Throws `OperatorError` when there are none left. */
export function numberCurrency(table: Table, currency: Currency): void {
  const names = [...FIRST, ...[...table.getRange()].map(({ value }) => value.toString())]
  if (names.includes(currency)) return
  if (names.length === CURRENCIES_MAX) {
    throw new OperatorError(
      `the data has had ${CURRENCIES_MAX} currencies, which is all that it can have: ${currency} cannot be added`,
    )
  }
  table.putSync(Buffer.of(names.length), Buffer.from(currency))
}
