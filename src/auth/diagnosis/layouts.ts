import type { Mistake, SentRequest } from './sent-request.js'

/** The three parts of the signed text. */
export interface Parts {
  readonly line: string
  readonly timestamp: string
  readonly body: Buffer
}

/** How the parts become one text. */
export type Layout = (parts: Parts) => Buffer

/** As the service does it (specification, Signed requests). */
export const rightLayout: Layout = ({ line, timestamp, body }) => joined('\n', line, timestamp, body)

const SEPARATORS = ['\r\n', '', ' ', '\\n', ':', '.', '|', ',', ';', '&', '\t', '\0']

/** Other layouts than the three parts with a line feed between each two. */
export const LAYOUT_MISTAKES: readonly Mistake<Layout>[] = [
  {
    text: 'There is no single line feed (byte 0x0A) between the parts; CRLF, the two characters \\n, and nothing are common.',
    variants: fixed(
      SEPARATORS.map(
        (separator): Layout =>
          (p) =>
            joined(separator, p.line, p.timestamp, p.body),
      ),
    ),
  },
  {
    text: 'The text ends with a line feed that does not belong to the body.',
    variants: fixed([(p) => joined('\n', p.line, p.timestamp, p.body, '')]),
  },
  {
    text: 'The line feed after the timestamp is missing: it stays when the body is empty.',
    variants: ({ body }) => (body.length > 0 ? [] : [(p) => joined('\n', p.line, p.timestamp)]),
  },
  {
    text: 'There is an empty line before the body.',
    variants: fixed([(p) => joined('\n', p.line, p.timestamp, '', p.body)]),
  },
  {
    text: 'Method and path are on lines of their own.',
    variants: fixed([
      (p) => joined('\n', p.line.replace(' ', '\n'), p.timestamp, p.body),
      (p) => joined('', p.line.replace(' ', ''), p.timestamp, p.body),
    ]),
  },
  {
    text: 'The three parts are in another order.',
    variants: fixed([
      (p) => joined('\n', p.timestamp, p.line, p.body),
      (p) => joined('\n', p.line, p.body, p.timestamp),
      (p) => joined('\n', p.timestamp, p.body, p.line),
      (p) => joined('\n', p.body, p.timestamp, p.line),
      (p) => joined('\n', p.body, p.line, p.timestamp),
      (p) => joined('\n', p.timestamp, ...p.line.split(' '), p.body),
    ]),
  },
  {
    text: 'The first line is missing.',
    variants: fixed([(p) => joined('\n', p.timestamp, p.body), (p) => joined('.', p.timestamp, p.body)]),
  },
  { text: 'The timestamp is missing.', variants: fixed([(p) => joined('\n', p.line, p.body)]) },
  { text: 'Only the body is signed.', variants: fixed([(p) => p.body]) },
  {
    text: 'The text begins with a key.',
    variants: ({ apiKey }: SentRequest) => [(p) => joined('\n', apiKey, p.line, p.timestamp, p.body)],
  },
]

function fixed(layouts: readonly Layout[]): () => readonly Layout[] {
  return () => layouts
}

function joined(separator: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const between = Buffer.from(separator)
  return Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [Buffer.from(part)] : [between, Buffer.from(part)])))
}
