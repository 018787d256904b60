import { OWNER_LENGTH_MAX } from '../../domain/text.js'
import { hex, text, whole } from './schema.js'

/** Parameters that several operations have. */

export const identityInPath = text('The id of the identity. Percent-encode it.', { minLength: 1 })

/** `OWNER_LENGTH_MAX` characters at most, spaces around them apart. */
export const ownerInBody = text(`Identity id of 1 to ${OWNER_LENGTH_MAX} characters, trimmed.`, {
  pattern: `^\\s*\\S([\\s\\S]{0,${OWNER_LENGTH_MAX - 2}}\\S)?\\s*$`,
})

export const pageParameters = {
  limit: whole('One page of so many records. Without it the whole list is streamed.', { minimum: 1, maximum: 1000 }),
  cursor: hex(32, 'Where a page starts. Take it from `Link`.'),
}
