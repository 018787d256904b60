/**
 * Levels and values of the largest real answers, with a margin. A parser needs far more memory for them than the text.
 */
export const JSON_DEPTH_MAX = 32
export const JSON_VALUES_MAX = 1_000_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Whether a JSON text stays within the bounds, checked before it is parsed. Bytes that are not JSON may pass; the
 * parser refuses them.
 */
export function isWithinBounds(json: Uint8Array): boolean {
  let depth = 0
  let values = 1
  let isText = false
  for (let i = 0; i < json.length; i += 1) {
    const byte = json[i]
    if (isText) {
      if (byte === QUOTE) isText = false
      else if (byte === BACKSLASH) i += 1
      continue
    }
    switch (byte) {
      case QUOTE:
        isText = true
        break
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth += 1
        values += 1
        if (depth > JSON_DEPTH_MAX) return false
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1
        break
      case COMMA:
        values += 1
        if (values > JSON_VALUES_MAX) return false
        break
    }
  }
  return true
}
