import { text } from '../languages/language.js'
import type { Session } from '../session/session.js'
import { Sure } from './sure.js'

/** Removes the keys from this browser. */
export function Forget({ session }: { readonly session: Session }) {
  return (
    <Sure
      name={text('forget')}
      warning={text('forgetWarning')}
      tick={text('forgetSure')}
      onSure={() => session.forget()}
    />
  )
}
