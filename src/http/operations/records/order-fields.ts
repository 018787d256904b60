import {
  METADATA_ENTRIES_MAX,
  METADATA_KEY_LENGTH_MAX,
  METADATA_VALUE_LENGTH_MAX,
  ORDER_NUMBER_LENGTH_MAX,
} from '../../../domain/order-fields.js'
import { orNull, type Schema, text } from '../schema.js'

const metadata: Schema = {
  type: 'object',
  description: `Up to ${METADATA_ENTRIES_MAX} texts of your own. Payers never see them.`,
  maxProperties: METADATA_ENTRIES_MAX,
  propertyNames: { maxLength: METADATA_KEY_LENGTH_MAX },
  additionalProperties: { type: 'string', maxLength: METADATA_VALUE_LENGTH_MAX },
}

/** What a request may say of the order that an invoice is for. */
export const orderInRequest = {
  returnUrl: orNull(
    text('Where the payment page leads back to: an absolute http: or https: URL without user and password.', {
      maxLength: 2048,
      pattern: '^$|^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\]+$',
    }),
  ),
  orderNumber: orNull(
    text(
      `What people call the order, truncated to ${ORDER_NUMBER_LENGTH_MAX} characters. Several invoices may have the same.`,
    ),
  ),
  metadata: orNull(metadata),
}

/** The same in answers. */
export const orderFields = {
  returnUrl: orNull(text('Where the payment page leads back to.')),
  orderNumber: orNull(text(`What people call the order, truncated to ${ORDER_NUMBER_LENGTH_MAX} characters.`)),
  metadata: orNull(metadata),
}
