import { text } from '../languages/language.js'
import { Failure } from './form.js'
import { Screen } from './frame.js'

/** Why the app cannot go on. Behind a reload it asks for everything anew, also for a script that did not come. */
export function FailedScreen({ error }: { readonly error: unknown }) {
  return (
    <Screen title={text('errorTitle')}>
      <Failure error={error} />
      <button type="button" class="main" onClick={() => location.reload()}>
        {text('tryAgain')}
      </button>
    </Screen>
  )
}
