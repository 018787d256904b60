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
