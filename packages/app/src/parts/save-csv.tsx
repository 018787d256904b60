import { text } from '../languages/language.js'
import { saveFile } from './save-file.js'

interface SaveCsvProps {
  /** Of the list, in the name of the file. */
  readonly name: string
  /** How many rows are shown. Nothing is offered for none. */
  readonly count: number
  readonly csv: () => string
}

/** Saves the rows that are shown. */
export function SaveCsv({ name, count, csv }: SaveCsvProps) {
  if (count === 0) return null
  return (
    <p>
      <button type="button" onClick={() => saveFile(`${name}.csv`, 'text/csv', csv())}>
        {text('saveCsv')}
      </button>
    </p>
  )
}
