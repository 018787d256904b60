/**
 * The code of the language to begin with: the one that `?lang=` asks for, the one that was chosen here before, the first of the browser's
 * that there is, or English. Languages are known by their primary subtag.
 */
export function wantedLanguage(
  known: readonly string[],
  query: string,
  remembered: string | null,
  browser: readonly string[],
): string {
  const asked = [new URLSearchParams(query).get('lang'), remembered, ...browser]
  const codes = asked.map((tag) => tag?.trim().split('-', 1)[0]?.toLowerCase())
  return codes.find((code) => code !== undefined && known.includes(code)) ?? 'en'
}
