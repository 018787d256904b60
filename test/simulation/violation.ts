import { isDeepStrictEqual } from 'node:util'

/** The core answered or did something that the model does not allow. `kind` is what a shrunk script has to keep. */
export class Violation extends Error {
  override readonly name = 'Violation'

  constructor(
    readonly kind: string,
    private readonly detail: string,
  ) {
    super(`${kind}: ${detail}`)
  }

  /** The same, with lines that say more of it. */
  with(lines: readonly string[]): Violation {
    return new Violation(this.kind, [this.detail, ...lines].join('\n  '))
  }
}

export function violate(kind: string, detail: unknown): never {
  throw new Violation(kind, typeof detail === 'string' ? detail : show(detail))
}

export function expectEqual(kind: string, actual: unknown, expected: unknown, about: unknown = ''): void {
  if (actual === expected || isDeepStrictEqual(actual, expected)) return
  throw new Violation(kind, `${show(about)}\n  actual   ${show(actual)}\n  expected ${show(expected)}`)
}

/** JSON with bigints and bytes in it. */
export function show(value: unknown): string {
  if (typeof value === 'string') return value
  const text = JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'bigint') return `${one}n`
    return one instanceof Error ? `${one.name}: ${one.message}` : one
  })
  return text ?? String(value)
}
