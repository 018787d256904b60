import { useState } from 'preact/hooks'
import { text } from '../languages/language.js'

const SHOWN_MS = 2000

/** A text that people take elsewhere, as one word. */
export function Copyable({ value, label }: { readonly value: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <div class="copyable">
      <code dir="ltr">{value}</code>
      <button type="button" onClick={() => void copy()} aria-label={`${text('copy')}: ${label}`}>
        {isCopied ? text('copied') : text('copy')}
      </button>
    </div>
  )
}
