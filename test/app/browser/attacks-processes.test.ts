import { noBrowser } from '../../support/chromium.js'
import { createDatabase } from '../../support/postgres-harness.js'
import { postgresForTests } from '../../support/postgres-tests.js'
import { ServiceProcess } from '../../support/service-process.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'
import { attacks } from './attacks.js'
import { openBalancer } from './balancer.js'

const server = noBrowser === false ? await postgresForTests({ isDurable: true }) : null

if (server !== null) {
  attacks('of two processes on a database, in strict mode', async () => {
    const store = await createDatabase(server)
    const targets: string[] = []
    const balancer = await openBalancer(targets)
    const ends: (() => Promise<void>)[] = [() => balancer.close()]
    for (let count = 0; count < 2; count++) {
      const directory = temporaryDirectory()
      const environment = { BILLHOOK_STORE: store, BILLHOOK_STRICT: 'on' }
      const service = await ServiceProcess.start(directory.path, environment, ['--sandbox'])
      targets.push(service.url)
      ends.push(
        () => service.stop(),
        async () => directory.remove(),
      )
    }
    const stop = async () => {
      for (const end of ends) await end()
    }
    return { url: balancer.url, stop }
  })
}
