import { createReadStream } from 'node:fs'

/** More than any request, delivery or secret. */
const INPUT_LIMIT_BYTES = 1_048_576

/** The contents of a file, or of standard input for `-`. */
export async function readInput(path: string): Promise<Buffer> {
  const stream = path === '-' ? process.stdin : createReadStream(path)
  const chunks: Buffer[] = []
  let lengthBytes = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      lengthBytes += chunk.length
      if (lengthBytes > INPUT_LIMIT_BYTES) throw new Error(`has more than ${INPUT_LIMIT_BYTES} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`)
  }
  return Buffer.concat(chunks)
}
