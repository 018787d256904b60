import { type Markup, markup } from '../page/markup.js'
import type { Session } from './sessions.js'

export interface FormParts {
  /** Where it is sent. */
  readonly path: string
  readonly token: string
  /** What its button says. */
  readonly label: string
}

/** A button that does something. */
export function actionForm({ path, token, label }: FormParts): Markup {
  const hidden = markup`<input type="hidden" name="token" value="${token}">`
  return markup`<form class="action" method="post" action="${path}">${hidden}<button>${label}</button></form>`
}

/** A button that cannot be taken back: what it does is read first. */
export function finalForm(parts: FormParts & { readonly warning: string }): Markup {
  return markup`<details class="action"><summary>${parts.label}…</summary>
<p>${parts.warning}</p>
${actionForm(parts)}</details>`
}

/** What forms of a session carry for the action `name` on a record. */
export function tokenFor({ token }: Session, name: string, id: string): string {
  return token(`${name} ${id}`)
}

/** The field of a form in which somebody writes more than a word. */
export const WRITTEN_FIELD = 'text'

/** What somebody wrote into a form that did nothing, so that it need not be written again: a browser may have forgotten it. */
export function writtenIn(form: URLSearchParams): Markup | null {
  const text = form.get(WRITTEN_FIELD)
  if (text === null || text === '') return null
  return markup`<div class="field"><label for="written">What you wrote</label>
<textarea id="written" rows="8" readonly>
${text}</textarea></div>`
}

/** A form with room for a text. */
export function writingForm(
  { path, token, label }: FormParts,
  field: { readonly label: string; readonly hint: string },
): Markup {
  return markup`<form class="action field" method="post" action="${path}"><input type="hidden" name="token" value="${token}">
<label for="${WRITTEN_FIELD}">${field.label}</label>
<textarea id="${WRITTEN_FIELD}" name="${WRITTEN_FIELD}" rows="3" required aria-describedby="hint"></textarea>
<p class="quiet" id="hint">${field.hint}</p>
<button>${label}</button></form>`
}
