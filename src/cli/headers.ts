/** Headers by name in lower case. Other lines, such as that of the request, are ignored; a repeated name fits nothing. `curl -v` shows
 * those of a request behind `> `. */
export function parseHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = /^(?:> )?([\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    const key = name.toLowerCase()
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
  }
  return headers
}
