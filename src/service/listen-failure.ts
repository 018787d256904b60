import { createServer } from 'node:net'

const CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses the port',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'the port is reserved for the superuser',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up at the moment',
}

/**
 * Why nothing can listen on `host` and `port`, as text. Not every server reports the reason, so a `node:net` server
 * tries again. `fallback` is the first server's message, in case the second attempt works.
 */
export async function causeOfListenFailure(host: string, port: number, fallback: string): Promise<string> {
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const probe = createServer().once('error', resolve)
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)))
  })
  if (error === null) return fallback
  return CAUSES[error.code ?? ''] ?? error.message
}
