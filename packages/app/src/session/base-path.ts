/**
 * The path prefix of the service, from the path of its app or of a file of it: empty for `/app` and `/app/keys-1.js`, `/shop` for
 * `/shop/app`. It has no slash at its end.
 */
export function basePathOf(path: string): string {
  return /^(.*)\/app(?:\/[^/]*)?$/.exec(path)?.[1] ?? ''
}
