import type { Desk } from '../desk/desk.js'
import { text } from '../languages/language.js'
import { Copyable } from '../parts/copyable.js'
import { Forget } from '../parts/forget.js'
import { Screen } from '../parts/frame.js'
import { LanguageChoice } from '../parts/language-choice.js'
import type { Session } from '../session/session.js'

export function Settings({ desk, session }: { readonly desk: Desk; readonly session: Session }) {
  const { shop, info } = desk
  return (
    <Screen title={text('settingsTitle')}>
      <h2>{text('settingsIdentity')}</h2>
      <Copyable value={shop.owner} label={text('settingsIdentity')} />
      <h2>{text('settingsService')}</h2>
      <Copyable value={session.url} label={text('settingsService')} />
      <p>
        {text('version')} {info.version}
      </p>
      <p>{text(shop.signedBy === null ? 'modeUnsigned' : 'modeSigned')}</p>
      <LanguageChoice />
      <p>
        <a href="app/licences.txt" target="_blank" rel="noreferrer">
          {text('licences')}
        </a>
      </p>
      <Forget session={session} />
    </Screen>
  )
}
