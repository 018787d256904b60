import { languageFor } from '../../src/page/language.js'
import type { PageFrame } from '../../src/page/layout.js'

/** The frame of a page in a language, English unless another is asked for. */
export function frameOf({ lang = 'en', ...rest }: Partial<PageFrame> & { readonly lang?: string } = {}): PageFrame {
  return { isSandbox: false, language: languageFor(`lang=${lang}`, undefined), nonce: 'bm9uY2U=', ...rest }
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
