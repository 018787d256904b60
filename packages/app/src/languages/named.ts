import { en, type TextKey, type Texts } from './en.js'

/** The build leaves the names of the texts away (`deploy/app/build.ts`): they are those of English, in its order. */
export function named(texts: Texts | readonly string[]): Texts {
  if (!isList(texts)) return texts
  return Object.fromEntries(Object.keys(en).map((key, at) => [key, texts[at]])) as Record<TextKey, string>
}

function isList(texts: Texts | readonly string[]): texts is readonly string[] {
  return Array.isArray(texts)
}
