import { once } from 'node:events'
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Digits of the length that precedes each request. */
const LENGTH_DIGITS = 8

/** Writes requests one after another, each preceded by its length. Load generators send them unchanged. */
export async function writeRequestFile(path: string, count: number, request: (n: number) => string): Promise<void> {
  const file = createWriteStream(path)
  for (let n = 0; n < count; n += 1) {
    const text = request(n)
    if (!file.write(`${String(text.length).padStart(LENGTH_DIGITS, '0')}${text}`, 'latin1')) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}

export function readRequestFile(path: string): Buffer[] {
  const file = readFileSync(path)
  const requests: Buffer[] = []
  let at = 0
  while (at < file.length) {
    const begin = at + LENGTH_DIGITS
    at = begin + Number(file.toString('latin1', at, begin))
    requests.push(file.subarray(begin, at))
  }
  return requests
}

/** Deals the requests of a file to so many files in a directory, and answers their paths; its own where one takes all. */
export function dealRequests(path: string, files: number, directory: string): readonly string[] {
  if (files === 1) return [path]
  const requests = readRequestFile(path)
  return Array.from({ length: files }, (_, share) => {
    const own = requests.filter((_, n) => n % files === share)
    const dealt = join(directory, `share-${share}`)
    writeFileSync(dealt, Buffer.concat(own.flatMap((request) => [lengthOf(request.length), request])))
    return dealt
  })
}

function lengthOf(length: number): Buffer {
  return Buffer.from(String(length).padStart(LENGTH_DIGITS, '0'))
}

/** The text of an HTTP/1.1 request, in ASCII. */
export function httpRequest(method: string, path: string, headers: readonly string[], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${body.length}`]
  return [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...headers, ...length, '', body].join('\r\n')
}
