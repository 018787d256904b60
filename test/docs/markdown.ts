/** A text without its fenced blocks: a comment of a script is no heading. */
export function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}

/** The anchors of a page, as GitHub makes them of its headings. */
export function anchors(text: string): Set<string> {
  const headings = [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replace(/ /g, '-'),
    ),
  )
}

/** Where a text links to, apart from other sites. */
export function linksOf(text: string): string[] {
  return [...prose(text).matchAll(/\]\(([^)]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target))
}
