/** A part of the app did not come. */
export class NotLoaded extends Error {
  override readonly name = 'NotLoaded'
  readonly code = 'unreachable'
}

/** A part of the app, which is loaded when it is needed. Browsers remember that one could not be, until the page is loaded anew. */
export async function loaded<T>(importing: Promise<T>): Promise<T> {
  try {
    return await importing
  } catch (cause) {
    throw new NotLoaded('a part of the app could not be loaded', { cause })
  }
}
