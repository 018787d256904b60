/** Where a program that serves logs a defect and goes on, a test ends. */
export function throwIt(error: Error): never {
  throw error
}
