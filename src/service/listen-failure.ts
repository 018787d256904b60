import { createServer } from 'node:net'

const CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses the port',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'the port is reserved for the superuser',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up at the moment',
}

/**
 * Why nothing can listen at `host` and `port`, in words. Not every server tells: the same is tried once more by one that
 * does. `fallback` is what the server said, for the case that it now works.
 */
export async function causeOfListenFailure(host: string, port: number, fallback: string): Promise<string> {
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const probe = createServer().once('error', resolve)
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)))
  })
  if (error === null) return fallback
  return CAUSES[error.code ?? ''] ?? error.message
}
