import { text } from '../languages/language.js'
import { Field } from './form.js'

/** As the service has it. */
const LENGTH_MAX = 80

interface NamingFieldProps {
  readonly value: string
  readonly onValue: (value: string) => void
}

/** What an invoice or order is for. `isChecked`: whether an empty one is said to be wrong. */
export function NameField({ value, onValue, isChecked }: NamingFieldProps & { readonly isChecked: boolean }) {
  const flaw = isChecked && value.trim() === '' ? text('nameEmpty') : null
  return (
    <Field label={text('fieldName')} value={value} onValue={onValue} flaw={flaw} input={{ maxLength: LENGTH_MAX }} />
  )
}

/** What people call the order. */
export function OrderNumberField({ value, onValue }: NamingFieldProps) {
  return <Field label={text('fieldOrder')} value={value} onValue={onValue} input={{ maxLength: LENGTH_MAX }} />
}
