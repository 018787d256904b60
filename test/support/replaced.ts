/** A text with each `from` replaced. Throws unless it is there exactly as often. */
export function replaced(text: string, from: string, to: string, times: number): string {
  const parts = text.split(from)
  if (parts.length !== times + 1) throw new Error(`${JSON.stringify(from)} is there ${parts.length - 1} times`)
  return parts.join(to)
}
