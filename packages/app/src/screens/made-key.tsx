import { clientLines, type KeyParts, keyFile } from '../api-keys/key-text.js'
import { text } from '../languages/language.js'
import { Copyable } from '../parts/copyable.js'
import { Screen } from '../parts/frame.js'
import { saveFile } from '../parts/save-file.js'

/** A new key, once. */
export function MadeKey({ made, onDone }: { readonly made: KeyParts; readonly onDone: () => void }) {
  const save = () => saveFile('billhook-key.json', 'application/json', keyFile(made))
  return (
    <Screen title={text('keyMadeTitle')}>
      <p>{text('keyMadeText')}</p>
      <h2>{text('keyOwner')}</h2>
      <Copyable value={made.owner} label={text('keyOwner')} />
      <h2>{text('keyPrivate')}</h2>
      <Copyable value={made.privateKey} label={text('keyPrivate')} />
      <h2>
        <bdi dir="ltr">@billhook/client</bdi>
      </h2>
      <Copyable value={clientLines(made)} label="@billhook/client" />
      <div class="row">
        <button type="button" onClick={save}>
          {text('keyFile')}
        </button>
        <button type="button" class="main" onClick={onDone}>
          {text('keyDone')}
        </button>
      </div>
    </Screen>
  )
}
