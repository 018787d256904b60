import { clientLines, type KeyParts, keyFile } from '../api-keys/key-text.js'
import { text } from '../languages/language.js'
import { Copyable } from '../parts/copyable.js'
import { Screen } from '../parts/frame.js'

/** A new key, once. */
export function MadeKey({ made, onDone }: { readonly made: KeyParts; readonly onDone: () => void }) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([keyFile(made)], { type: 'application/json' }))
    const link = document.createElement('a')
    link.href = address
    link.download = 'billhook-key.json'
    link.click()
    URL.revokeObjectURL(address)
  }
  return (
    <Screen title={text('keyMadeTitle')}>
      <p>{text('keyMadeText')}</p>
      <h2>{text('keyOwner')}</h2>
      <Copyable value={made.owner} label={text('keyOwner')} />
      <h2>{text('keyPrivate')}</h2>
      <Copyable value={made.privateKey} label={text('keyPrivate')} />
      <h2>@billhook/client</h2>
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
