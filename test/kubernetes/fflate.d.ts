/** What is used of the package fflate, which is installed apart from the project's own. */
export function unzipSync(
  archive: Uint8Array,
  options: { readonly filter: (file: { readonly name: string }) => boolean },
): Readonly<Record<string, Uint8Array>>
