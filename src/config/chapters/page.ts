import { each, isPath } from '../checks.js'
import {
  isContact,
  isFrameAncestor,
  isHexColour,
  isPageName,
  isReturnUrl,
  PAGE_NAME_LENGTH_LIMIT,
} from '../page-checks.js'
import { list, optional } from '../setting.js'

/** What makes the payment page the shop's own. */
export const page = {
  pageName: optional.text(isPageName, {
    fallbackText: 'none: the page names nobody',
    expects: `1 to ${PAGE_NAME_LENGTH_LIMIT} characters on one line`,
    sentence: 'The name of the shop, as payers know it.',
  }),
  pageLogo: optional.text(isPath, {
    fallbackText: 'none',
    expects: 'a path',
    sentence: 'The file with the logo: SVG, PNG, JPEG or WebP, at most 256 KiB. It is read at start.',
  }),
  pageAccent: optional.text(isHexColour, {
    fallbackText: 'a blue',
    expects: 'a colour such as #0a58ca',
    sentence:
      'The colour of the shop. Where text needs it, the page uses a darker or lighter shade; the log says at start which.',
  }),
  pageReturnUrl: optional.text(isReturnUrl, {
    fallbackText: 'none',
    expects: 'an https URL without credentials, or an http URL on loopback',
    sentence: 'Where the link back to the shop leads.',
  }),
  pageSupport: optional.text(isContact, {
    fallbackText: 'none: payers are told to ask the merchant',
    expects: 'an address such as mailto:help@shop.example, tel:+4930123456 or https://shop.example/help',
    sentence: 'The contact for payers, in every state of the page.',
  }),
  pageFrameAncestors: list(each(isFrameAncestor), {
    fallbackText: 'none: no page may frame it',
    expects: 'a comma-separated list of origins such as https://shop.example',
    sentence: 'The origins whose pages may show the payment page in a frame.',
  }),
}
