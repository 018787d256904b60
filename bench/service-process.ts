import { NODE_FLAGS, ServiceProcess } from '../test/support/service-process.js'
import { GATEWAY_SECRET } from './merchants.js'

/** Starts Billhook. Settings in the environment of the benchmarks win, so that they can be compared. */
export function startBenched(data: string, settings: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const callers = Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith('BILLHOOK_') && value !== undefined ? [[name, value] as const] : [],
  )
  const own = { BILLHOOK_LOG: 'error', BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET }
  const environment = { ...own, ...settings, ...Object.fromEntries(callers) }
  return ServiceProcess.launch({ data, environment, nodeFlags: NODE_FLAGS })
}

/** Runs `use` with a Billhook that is stopped afterwards, whatever happens. */
export async function withService<T>(
  data: string,
  settings: Readonly<Record<string, string>>,
  use: (service: ServiceProcess) => Promise<T>,
): Promise<T> {
  const service = await startBenched(data, settings)
  try {
    return await use(service)
  } finally {
    await service.stop()
  }
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
