/** PostgreSQL refuses to run as root, so it runs as `nobody` then. */
export const NOBODY = 65_534

/** Options of a process that may not be root's, which is an unprivileged one then. */
export function asNobody() {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY, env: { PATH: process.env['PATH'] ?? '' } } : {}
}
