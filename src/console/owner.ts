import { type Markup, markup } from '../page/markup.js'
import { links, OWNER_LISTS, type OwnerList } from './links.js'

/** Links from one list of an owner to the others; null where the list is of all owners. */
export function ownerLinks(owner: string | null, here: OwnerList): Markup | null {
  if (owner === null) return null
  const others = OWNER_LISTS.filter((list) => list !== here)
  return markup`<nav aria-label="This owner"><ul class="links"><li>Of this owner:</li>
${others.map(
  (list) => markup`<li><a href="${links.ofOwner(list, owner)}">${list}</a></li>
`,
)}</ul></nav>`
}
