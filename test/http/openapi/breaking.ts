/*
 * What a change of the API breaks for clients that were made for the released one (docs/versioning.md). A request that
 * was right must stay right, and an answer must have at least what it had. New operations, new fields of answers, new
 * optional parameters and new error codes are no breaks.
 */

type Json = Readonly<Record<string, unknown>>

/** Everything that breaks, one line each. */
export function breaks(released: Json, present: Json): string[] {
  return new Comparison(released, present).run()
}

class Comparison {
  private readonly found: string[] = []

  constructor(
    private readonly released: Json,
    private readonly present: Json,
  ) {}

  run(): string[] {
    for (const [path, methods] of entries(this.released['paths'])) {
      for (const [method, operation] of entries(methods)) {
        const name = `${method.toUpperCase()} ${path}`
        const now = at(this.present, 'paths', path, method)
        // The sandbox promises nothing.
        if (strings(operation, 'tags').includes('Sandbox')) continue
        if (now === undefined) this.found.push(`${name} is gone`)
        else this.operation(name, operation as Json, now)
      }
    }
    return this.found
  }

  private operation(name: string, before: Json, now: Json): void {
    const [known, present] = [this.parameters(before, this.released), this.parameters(now, this.present)]
    for (const [key, parameter] of known) {
      const other = present.get(key)
      if (other === undefined) this.found.push(`${name}: the parameter ${key} is gone`)
      else this.schema(`${name} ${key}`, at(parameter, 'schema'), at(other, 'schema'), 'request')
    }
    for (const [key, { required }] of present) {
      if (required === true && known.get(key)?.['required'] !== true) this.found.push(`${name}: ${key} is required`)
    }
    if (at(now, 'requestBody')?.['required'] === true && at(before, 'requestBody')?.['required'] !== true)
      this.found.push(`${name}: a body is required`)
    const body = (of: Json) => at(of, 'requestBody', 'content', 'application/json', 'schema')
    if (body(before) !== undefined) this.schema(`${name} body`, body(before), body(now), 'request')
    for (const [status, response] of entries(before['responses'])) {
      // Which errors an operation gives may change; the codes themselves stay (test/promises).
      if (Number(status) < 400) this.answer(`${name} ${status}`, response as Json, at(now, 'responses', status))
    }
  }

  private answer(name: string, before: Json, now: Json | undefined): void {
    if (now === undefined) {
      this.found.push(`${name} is gone`)
      return
    }
    for (const [header] of entries(before['headers'])) {
      if (at(now, 'headers', header) === undefined) this.found.push(`${name}: the header ${header} is gone`)
    }
    for (const [type, content] of entries(before['content'])) {
      this.schema(`${name} ${type}`, at(content as Json, 'schema'), at(now, 'content', type, 'schema'), 'answer')
    }
  }

  /** In a request the present schema must allow all that the released one did, in an answer no more. */
  private schema(name: string, given: Json | undefined, other: Json | undefined, place: 'request' | 'answer'): void {
    if (given === undefined) return
    if (other === undefined) {
      this.found.push(`${name} is gone`)
      return
    }
    const [before, now] = [resolved(given, this.released), resolved(other, this.present)]
    const alternatives = before['properties'] === undefined ? [] : entries(now['oneOf'] ?? now['anyOf'])
    if (place === 'answer' && alternatives.length > 0) {
      // Each alternative must be what one record was before.
      for (const [, inner] of alternatives) this.schema(name, before, inner as Json, place)
      return
    }
    const [wider, narrower] = place === 'request' ? [now, before] : [before, now]
    for (const key of ['type', 'enum']) {
      const allowed = strings(wider, key)
      const lost = strings(narrower, key).filter((value) => !allowed.includes(value))
      if (allowed.length > 0 && (lost.length > 0 || narrower[key] === undefined))
        this.found.push(`${name}: ${key} was ${strings(before, key)} and is ${strings(now, key)}`)
    }
    for (const key of ['minimum', 'minLength', 'minItems', 'exclusiveMinimum']) {
      if (bound(wider, key, Number.NEGATIVE_INFINITY) > bound(narrower, key, Number.NEGATIVE_INFINITY))
        this.found.push(`${name}: ${key} was ${before[key]} and is ${now[key]}`)
    }
    for (const key of ['maximum', 'maxLength', 'maxItems']) {
      if (bound(wider, key, Number.POSITIVE_INFINITY) < bound(narrower, key, Number.POSITIVE_INFINITY))
        this.found.push(`${name}: ${key} was ${before[key]} and is ${now[key]}`)
    }
    if (wider['pattern'] !== undefined && wider['pattern'] !== narrower['pattern'])
      this.found.push(`${name}: pattern was ${before['pattern']} and is ${now['pattern']}`)
    const missing = strings(wider, 'required').filter((one) => !strings(narrower, 'required').includes(one))
    for (const one of missing)
      this.found.push(`${name}: ${one} is ${place === 'request' ? 'required' : 'no longer sure'}`)
    // What is always null now was null at times before.
    for (const [property, inner] of now['type'] === 'null' ? [] : entries(before['properties'])) {
      this.schema(`${name}.${property}`, inner as Json, at(now, 'properties', property), place)
    }
    for (const kind of ['anyOf', 'oneOf']) {
      for (const [index, inner] of entries(before[kind])) {
        this.schema(`${name}|${index}`, inner as Json, at(now, kind, index), place)
      }
    }
    if (at(before, 'items') !== undefined) this.schema(`${name}[]`, at(before, 'items'), at(now, 'items'), place)
  }

  private parameters(operation: Json, document: Json): Map<string, Json> {
    const all = (operation['parameters'] as readonly Json[]).map((one) => resolved(one, document))
    return new Map(all.map((one) => [`${one['in']} ${one['name']}`, one]))
  }
}

function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((inner, name) => inner?.[name] as Json | undefined, value)
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function strings(value: unknown, key: string): readonly string[] {
  const inner = (value as Json)[key]
  return inner === undefined ? [] : [inner].flat().map(String)
}

function bound(schema: Json, key: string, none: number): number {
  return typeof schema[key] === 'number' ? schema[key] : none
}

function resolved(value: Json, document: Json): Json {
  const target = value['$ref']
  return typeof target === 'string' ? (at(document, ...target.slice(2).split('/')) ?? {}) : value
}
