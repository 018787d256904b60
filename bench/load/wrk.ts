import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { type Load, type LoadGenerator, ranOutOf } from './load.js'

/** Slower answers count as errors. With a thousand connections the slowest contestants take seconds. */
const TIMEOUT_SECONDS = 30

/** wrk (Debian package of that name), or null where it is not installed. */
export function findWrk(): LoadGenerator | null {
  // It exits with 1 for --version.
  const { error, stdout } = spawnSync('wrk', ['--version'], { encoding: 'utf8' })
  if (error !== undefined) return null
  return { name: 'wrk', version: /^wrk (\S+)/.exec(stdout)?.[1] ?? 'unknown', run }
}

async function run({ url, connections, seconds, requests }: Load): Promise<number> {
  const duration = Math.max(1, Math.round(seconds))
  const options = ['-t1', `-c${connections}`, `-d${duration}s`, '--timeout', `${TIMEOUT_SECONDS}s`]
  if (requests === null) return rateOf(await wrk([...options, url]))
  const script = `${requests}.lua`
  writeFileSync(script, luaScript(requests))
  try {
    return rateOf(await wrk([...options, '-s', script, url]))
  } finally {
    rmSync(script)
  }
}

function rateOf(report: string): number {
  const errors = /Non-2xx.*|Socket errors.*/.exec(report)?.[0]
  const all = /^ran out of (\d+)$/m.exec(report)?.[1]
  // What answers with a constant takes them again.
  if (errors !== undefined) throw new Error(all === undefined ? errors.trim() : ranOutOf(Number(all)))
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1])
  if (!(rate > 0)) throw new Error(`wrk reports no rate:\n${report}`)
  return rate
}

/** Sends the requests of the file. When they run out it starts again, which the service rejects, and says so in the end. */
function luaScript(path: string): string {
  return `
local requests, threads = {}, {}
at, count = 0, 0
function setup(thread)
  threads[#threads + 1] = thread
end
function init()
  local file = assert(io.open(${JSON.stringify(path)}, 'rb'))
  while true do
    local length = file:read(8)
    if not length then break end
    requests[#requests + 1] = file:read(tonumber(length))
  end
  file:close()
  count = #requests
end
function request()
  at = at + 1
  return requests[(at - 1) % count + 1]
end
function done()
  for _, thread in ipairs(threads) do
    if thread:get('at') > thread:get('count') then print('ran out of ' .. thread:get('count')) end
  end
end
`
}

async function wrk(argv: readonly string[]): Promise<string> {
  const child = spawn('wrk', argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  let report = ''
  child.stdout.on('data', (chunk: Buffer) => {
    report += chunk.toString()
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`wrk ended with ${code}`)
  return report
}
