import { useState } from 'preact/hooks'
import { text } from '../languages/language.js'
import { Failure, useWork } from './form.js'

interface SureProps {
  readonly name: string
  readonly warning: string
  readonly onSure: () => Promise<void>
  /** What one has to tick first. */
  readonly tick?: string
}

/** Something that cannot be taken back: a button, then a warning and the button again. */
export function Sure({ name, warning, onSure, tick }: SureProps) {
  const [isAsking, setAsking] = useState(false)
  const [isTicked, setTicked] = useState(false)
  const work = useWork()
  if (!isAsking) {
    return (
      <button type="button" onClick={() => setAsking(true)}>
        {name}
      </button>
    )
  }
  return (
    <fieldset class="sure" aria-label={name}>
      <p role="alert">{warning}</p>
      {tick !== undefined && (
        <label class="tick">
          <input
            type="checkbox"
            checked={isTicked}
            onChange={({ currentTarget }) => setTicked(currentTarget.checked)}
          />
          {tick}
        </label>
      )}
      <Failure error={work.error} />
      <div class="row">
        <button
          type="button"
          class="danger"
          disabled={work.isWorking || (tick !== undefined && !isTicked)}
          onClick={() => void work.run(onSure)}
        >
          {name}
        </button>
        <button type="button" onClick={() => setAsking(false)}>
          {text('cancel')}
        </button>
      </div>
    </fieldset>
  )
}
