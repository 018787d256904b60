import type { Random } from '../simulation/random.js'
import { flipBits } from './draft-mutations.js'

type MutateBytes = (bytes: Buffer, random: Random) => Buffer

const FLIPS_MAX = 8
const RANGE_MAX_BYTES = 200
/** What tends to mean something to a parser, or to the code behind it. */
const INSERTS: readonly [string, ...string[]] = [
  '\u0000',
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\r',
  ':',
  ' ',
  '\t',
  '\u0080',
  '\u00ff\u00fe',
  '\u00ed\u00a0\u0080',
  '%00',
  '%s%n',
  '\u007f',
  '"',
  '{',
  '\\ud800',
  '0\r\n\r\n',
  'HTTP/1.1',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 0\r\n',
  '\u001b[2J',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
]

function spliced(bytes: Buffer, place: number, removed: number, added: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, place), added, bytes.subarray(place + removed)])
}

/** Mutations of a request as bytes, by the name of what they try. */
export const byteMutations: Readonly<Record<string, MutateBytes>> = {
  none: (bytes) => bytes,
  'bit flips': (bytes, random) => flipBits(bytes, random, random.between(1, FLIPS_MAX)),
  truncation: (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  removal: (bytes, random) =>
    spliced(bytes, random.below(bytes.length), random.between(1, RANGE_MAX_BYTES), Buffer.alloc(0)),
  insertion: (bytes, random) =>
    spliced(bytes, random.below(bytes.length + 1), 0, Buffer.from(random.pick(INSERTS), 'latin1')),
  replacement: (bytes, random) => {
    const noise = Buffer.alloc(random.between(1, 16))
    random.fill(noise)
    return spliced(bytes, random.below(bytes.length), noise.length, noise)
  },
  repetition: (bytes, random) => {
    const place = random.below(bytes.length)
    return spliced(bytes, place, 0, bytes.subarray(place, place + random.between(1, RANGE_MAX_BYTES)))
  },
  noise: (_bytes, random) => {
    const noise = Buffer.alloc(random.between(1, RANGE_MAX_BYTES))
    random.fill(noise)
    return noise
  },
  'leading noise': (bytes, random) => Buffer.concat([Buffer.from(random.pick(INSERTS), 'latin1'), bytes]),
}
