/** Its message is a reason to skip a test. */
export class PostgresAbsent extends Error {
  override readonly name = 'PostgresAbsent'
}
