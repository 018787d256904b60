import { type Markup, markup } from '../page/markup.js'

/** A field of a form that narrows a list; its name is that of the query parameter. */
export type FilterField =
  | { readonly name: string; readonly label: string; readonly type: 'text'; readonly value: string | null }
  | {
      readonly name: string
      readonly label: string
      readonly type: 'choice'
      readonly value: string | null
      readonly choices: readonly string[]
      /** What the empty choice is called. */
      readonly any: string
    }

/** The form that narrows a list. Its result is a link that can be kept. */
export function filterForm(path: string, fields: readonly FilterField[]): Markup {
  return markup`<form class="filter" method="get" action="${path}" role="search">
${fields.map(
  (field) => markup`<div><label for="${field.name}">${field.label}</label>${control(field)}</div>
`,
)}<button>Show</button>
</form>`
}

function control(field: FilterField): Markup {
  const { name, value, type } = field
  if (type === 'text') {
    return markup`<input id="${name}" name="${name}" value="${value ?? ''}" autocomplete="off" spellcheck="false">`
  }
  const choices = field.choices.map((choice) => {
    const selected = choice === value ? markup` selected` : null
    return markup`<option${selected}>${choice}</option>`
  })
  return markup`<select id="${name}" name="${name}"><option value="">${field.any}</option>${choices}</select>`
}
