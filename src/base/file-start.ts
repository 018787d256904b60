import { closeSync, openSync, readSync } from 'node:fs'

/** What a file holds, or its first `limitBytes` and one: a device may never end. Throws the error of the system. */
export function readFileStart(path: string, limitBytes: number): Buffer {
  const fd = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(limitBytes + 1)
    let length = 0
    while (length < bytes.length) {
      const read = readSync(fd, bytes, length, bytes.length - length, null)
      if (read === 0) break
      length += read
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(fd)
  }
}
