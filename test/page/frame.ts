import type { PageSettings } from '../../src/http/routes/page-answers.js'
import { accentOf } from '../../src/page/accent.js'
import { type Brand, NO_BRAND } from '../../src/page/brand.js'
import { languageFor } from '../../src/page/language.js'
import type { PageFrame } from '../../src/page/layout.js'

/** How long pages of void invoices wait for what is late. */
export const LATE_MS = 30 * 24 * 60 * 60 * 1000

/** The settings of pages without a shop of their own. */
export const PLAIN_PAGES: PageSettings = { isSandbox: false, brand: NO_BRAND, frameAncestors: [], lateMs: LATE_MS }

/** A shop with everything. */
export const SHOP: Brand = {
  name: 'Tea House',
  logo: { file: 'abc.svg', type: 'image/svg+xml', bytes: Buffer.from('<svg/>') },
  accent: accentOf('#ffd600'),
  returnUrl: 'https://shop.example/cart?order=1&lang=en',
  support: 'mailto:help@shop.example',
}

/** The frame of a page in a language, English unless another is asked for. */
export function frameOf({ lang = 'en', ...rest }: Partial<PageFrame> & { readonly lang?: string } = {}): PageFrame {
  return {
    isSandbox: false,
    brand: NO_BRAND,
    language: languageFor(`lang=${lang}`, undefined),
    nonce: 'bm9uY2U=',
    shopPath: 'shop',
    ...rest,
  }
}

/** The text of some HTML as a reader sees it, blanks in one piece. */
export function textOf(html: string): string {
  return html
    .replace(/<style[\s\S]*?<\/style>|<script[\s\S]*?<\/script>/g, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
}
