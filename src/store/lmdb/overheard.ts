/**
 * A port whose failures are heard: what its methods throw, and what their promises reject with, goes to `hear` and on to the caller.
 * Reads come from everywhere, so this is the one place that all of their errors pass. What it costs is a call.
 */
export function overheard<Port extends object>(port: Port, hear: (error: unknown) => void): Port {
  const heard: Port = Object.create(port)
  for (const [name, method] of methodsOf(port)) {
    const value = (...given: unknown[]): unknown => {
      try {
        const result = method.apply(port, given)
        if (result instanceof Promise) result.catch(hear)
        return result
      } catch (error) {
        hear(error)
        throw error
      }
    }
    Object.defineProperty(heard, name, { value, writable: true, configurable: true })
  }
  return heard
}

/** Those of a class, or of an object that has its own. */
function methodsOf(port: object): readonly (readonly [name: string, method: Method])[] {
  const prototype: unknown = Object.getPrototypeOf(port)
  const names = Object.getOwnPropertyNames(prototype === Object.prototype ? port : prototype)
  return names.flatMap((name) => {
    const value: unknown = name === 'constructor' ? undefined : Reflect.get(port, name)
    return typeof value === 'function' ? [[name, value as Method] as const] : []
  })
}

type Method = (...given: unknown[]) => unknown
