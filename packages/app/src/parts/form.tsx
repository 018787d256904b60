import type { ComponentChildren, JSX } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { text } from '../languages/language.js'
import { errorText } from '../session/error-text.js'

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly hint?: string | undefined
  /** What is wrong with the value; it is announced with the field. */
  readonly flaw?: string | null | undefined
  readonly input?: JSX.IntrinsicElements['input']
}

/** A labelled input with its hint and what is wrong with it. */
export function Field({ label, value, onValue, hint, flaw, input = {} }: FieldProps) {
  const id = useId()
  const isWrong = flaw !== undefined && flaw !== null
  const described = [...(hint === undefined ? [] : [`${id}-hint`]), ...(isWrong ? [`${id}-flaw`] : [])].join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        autocomplete="off"
        {...input}
        id={id}
        value={value}
        aria-describedby={described === '' ? undefined : described}
        aria-invalid={isWrong}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {isWrong && (
        <p class="flaw" id={`${id}-flaw`} role="alert">
          {flaw}
        </p>
      )}
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly options: readonly (readonly [value: string, name: string])[]
  readonly disabled?: boolean
}

export function Choice({ label, value, onValue, options, disabled = false }: ChoiceProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} disabled={disabled} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {options.map(([key, name]) => (
          <option key={key} value={key} selected={key === value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

/** Something that is being done, and how it failed. */
export interface Work {
  readonly isWorking: boolean
  readonly error: unknown
  /** Does it, unless something is being done already. */
  run(work: () => Promise<void>): Promise<void>
  /** Does it whatever is being done: another choice replaces the one before. What came of the last one is said. */
  replace(work: () => Promise<void>): Promise<void>
}

export function useWork(): Work {
  const [isWorking, setWorking] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const last = useRef(0)
  const replace = async (work: () => Promise<void>) => {
    last.current += 1
    const number = last.current
    setWorking(true)
    setError(null)
    try {
      await work()
    } catch (failure) {
      if (number === last.current) setError(failure)
    } finally {
      if (number === last.current) setWorking(false)
    }
  }
  return {
    isWorking,
    error,
    replace,
    async run(work) {
      if (!isWorking) await replace(work)
    },
  }
}

interface FormProps {
  readonly work: Work
  readonly onSubmit: () => Promise<void>
  readonly submit: string
  readonly children: ComponentChildren
  readonly disabled?: boolean
}

/** Fields with one button that does something, and what came of it. */
export function Form({ work, onSubmit, submit, children, disabled = false }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void work.run(onSubmit)
      }}
    >
      {children}
      <Failure error={work.error} />
      <button type="submit" class="main" disabled={disabled || work.isWorking} aria-busy={work.isWorking}>
        {work.isWorking ? text('working') : submit}
      </button>
    </form>
  )
}

/** A failure in words; nothing where there is none. */
export function Failure({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null
  const { key, values } = errorText(error)
  return (
    <p class="failure" role="alert">
      {text(key, values)}
    </p>
  )
}
