/** A part of a list. `next`: the cursor of the part behind it; null when it is the last one. */
interface Part {
  readonly next: string | null
}

/** The parts of a list one after the other, each read behind the one before it, as long as the caller takes them. */
export async function* scan<P extends Part>(
  read: (after: string | null) => P | Promise<P>,
  from: string | null = null,
): AsyncGenerator<P, void, undefined> {
  let after = from
  do {
    const part: P = await read(after)
    yield part
    after = part.next
  } while (after !== null)
}
