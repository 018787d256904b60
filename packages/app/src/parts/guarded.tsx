import { Component, type ComponentChildren } from 'preact'
import { text } from '../languages/language.js'
import { Failure } from './form.js'
import { Screen } from './frame.js'

interface GuardedProps {
  readonly children: ComponentChildren
}

interface GuardedState {
  readonly error: unknown
}

/** A screen, or words instead of it where it cannot show what the service answered. */
export class Guarded extends Component<GuardedProps, GuardedState> {
  override state: GuardedState = { error: null }

  static override getDerivedStateFromError(error: unknown): GuardedState {
    return { error }
  }

  override render({ children }: GuardedProps, { error }: GuardedState) {
    if (error === null) return children
    return (
      <Screen title={text('errorTitle')}>
        <Failure error={error} />
        <button type="button" class="main" onClick={() => this.setState({ error: null })}>
          {text('tryAgain')}
        </button>
      </Screen>
    )
  }
}
