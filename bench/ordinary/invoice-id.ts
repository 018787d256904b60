/** An id as the API shows it, from a UUID as PostgreSQL does. */
export function hexOf(uuid: string): string {
  return uuid.replaceAll('-', '')
}
