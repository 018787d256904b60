/** What a node says about a failure, in whatever form: JSON of several kinds, a page of HTML, or text. */

import { isObject } from '../../base/json-object.js'

/** Fields of an error's object that hold words or a further object, the most telling one first. */
const TELLING = ['message', 'Error', 'error', 'detail', 'reason', 'title'] as const
/** Objects within objects that are looked into. */
const LEVELS_MAX = 4

/** The words in a JSON answer; null when there are none. */
export function wordsIn(answer: unknown, level = 0): string | null {
  if (typeof answer === 'string') return wordsOf(answer)
  if (Array.isArray(answer)) return level < LEVELS_MAX ? wordsIn(answer[0], level + 1) : null
  if (!isObject(answer) || level >= LEVELS_MAX) return null
  for (const field of TELLING) {
    const words = wordsIn(answer[field], level + 1)
    if (words !== null) return words
  }
  return null
}

/** A text on one line, without the marks of HTML; null when nothing is left. */
export function wordsOf(text: string): string | null {
  const words = text
    .replace(/<(script|style)\b[\s\S]*?(?:<\/\1>|$)/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    // Control characters could forge lines of a log.
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
  return words === '' ? null : words
}
