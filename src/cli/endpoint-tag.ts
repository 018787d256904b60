import { type EndpointTag, endpoints } from '../http/endpoints.js'

/** The endpoint of the API that a request is for, or null. The path may begin with a prefix, and end with a query. */
export function tagOf(method: string, path: string): EndpointTag | null {
  const [pathname = ''] = path.split('?')
  const start = pathname.indexOf('/api/')
  if (start < 0) return null
  const given = [method === 'HEAD' ? 'GET' : method, ...pathname.slice(start).split('/').slice(1)]
  const tags = Object.keys(endpoints) as EndpointTag[]
  // Those without parameters first: a word of a pattern is also a possible id.
  const ordered = tags.toSorted((a, b) => countOf(a) - countOf(b))
  return ordered.find((tag) => fits(tag.split(/ ?\//), given)) ?? null
}

function countOf(tag: string): number {
  return tag.split(':').length
}

function fits(pattern: readonly string[], given: readonly string[]): boolean {
  return (
    pattern.length === given.length &&
    pattern.every((part, at) => (part.startsWith(':') ? given[at] !== '' : part === given[at]))
  )
}
