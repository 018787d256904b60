import type { Mistake } from './sent-request.js'

/** Other first lines than the endpoint's method and pattern. */
export const FIRST_LINE_MISTAKES: readonly Mistake<string>[] = [
  {
    text: 'The first line is the path that was called, not the pattern of the endpoint.',
    variants: ({ method, path }) => [`${method} ${withoutQuery(path)}`],
  },
  {
    text: 'The first line contains the query.',
    variants: ({ method, path, tag }) =>
      path.includes('?') ? [`${method} ${path}`, `${tag}?${path.slice(path.indexOf('?') + 1)}`] : [],
  },
  {
    text: 'The first line has the parameters in braces, as in OpenAPI, not with colons.',
    variants: ({ tag }) => [tag.replace(/:(\w+)/g, '{$1}')],
  },
  {
    text: 'The first line has the method in lower case.',
    variants: ({ tag, method, path }) => [
      lowerMethod(tag),
      lowerMethod(`${method} ${withoutQuery(path)}`),
      tag.toLowerCase(),
    ],
  },
  { text: 'The first line lacks the method.', variants: ({ tag, path }) => [pathOf(tag), withoutQuery(path), path] },
  { text: 'The first line lacks the path.', variants: ({ tag }) => [methodOf(tag)] },
  {
    text: 'The first line has no single blank between method and path.',
    variants: ({ tag }) => ['', ':', '  ', '\t'].map((between) => tag.replace(' ', between)),
  },
  {
    text: 'The first line has a slash or a blank at its end.',
    variants: ({ tag }) => [`${tag}/`, `${tag} `],
  },
  {
    text: 'The first line has the HTTP version at its end.',
    variants: ({ tag, method, path }) => [`${tag} HTTP/1.1`, `${method} ${path} HTTP/1.1`],
  },
  {
    text: 'A HEAD request is signed as GET.',
    variants: ({ tag, method }) => (method === 'HEAD' ? [tag.replace('GET ', 'HEAD ')] : []),
  },
  {
    text: 'The first line is that of another endpoint.',
    isAlone: true,
    variants: ({ tags, tag }) => tags.filter((other) => other !== tag),
  },
]

function withoutQuery(path: string): string {
  return path.split('?')[0] ?? ''
}

function methodOf(line: string): string {
  return line.split(' ')[0] ?? ''
}

function pathOf(line: string): string {
  return line.slice(line.indexOf(' ') + 1)
}

function lowerMethod(line: string): string {
  return `${methodOf(line).toLowerCase()} ${pathOf(line)}`
}
