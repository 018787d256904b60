import { parseArgs } from 'node:util'
import { withoutPatroni } from '../support/patroni-cluster.js'
import { PostgresServer } from '../support/postgres-server.js'
import { clusterCrashRounds } from './cluster-crash.js'
import { crashRounds } from './crash.js'
import { CROWD_PLAYS, crowd } from './crowd.js'
import { crowdedWallets, rivals } from './crowded-wallets.js'
import { distance } from './distance.js'
import { failoverRounds } from './failover.js'
import { hangingReceivers } from './hanging-receivers.js'
import { hostileChain } from './hostile-chain.js'
import { connections, hangingReceiver, hotWallet } from './isolation.js'
import { STORES } from './leaping-service.js'
import { ledger } from './ledger.js'
import { longAnswers } from './long-answers.js'
import { type NetworksOptions, networks } from './networks.js'
import { newcomers } from './newcomers.js'
import { floods, goodput, type ScenarioOptions } from './overload.js'
import { promotedByPatroni } from './patroni.js'
import { prices } from './prices.js'
import { shop } from './shop.js'
import { slowBodies } from './slow-bodies.js'
import { soak } from './soak.js'
import { Verdicts } from './verdicts.js'

const USAGE = `npm run chaos -- <command>

  crash    [--rounds 100] [--seed N]             kill -9 under mixed load
  cluster  [--rounds 100] [--seed N]             kill -9 of any of three processes on one PostgreSQL under mixed load
  failover [--rounds 10] [--seed N]              the primary of a synchronous PostgreSQL is lost, its standby promoted
  patroni  [--rounds 3] [--seed N]               the same, with Patroni and etcd, which promote the standby
  distance [--ms 50]                             a PostgreSQL that takes as long for each round trip, and is restarted
  overload [--seconds 8] [--engine noble] [--only goodput|floods|newcomers|wallet|receiver|connections]
  hostile-merchant [--seconds 8] [--only receivers|wallets|rivals]
                                                 one merchant, or many, against the rest
  crowd    [--seconds 8] [--store lmdb|postgres] [--http uws|node] [--only ${CROWD_PLAYS.join('|')}]
                                                 one merchant's lists, dust and expiries against the rest, on both stores
  slow-bodies [--seconds 8]                      500 MB of bodies that nobody needs, before authentication
  shop     [--days 30] [--seed N] [--store lmdb|postgres] [--underpayment 5] [--strict]
                                                 a month of four shops and their customers, books and all, on both stores
  prices   [--days 30] [--seed N] [--store lmdb|postgres] [--underpayment 5]
                                                 a month of a shop with prices in euros, rates that stall and lie, and payers of several coins
  soak     [--minutes 20]                        memory at half the capacity
  long-answers                                   memory while a node answers with 200 MB for one block
  networks [--minutes 5] [--seed N]              an hour of four networks whose nodes fail, lag and lie in turn
  hostile-chain [--minutes 5] [--seed N]         an hour of four networks with strangers' blocks and odd nodes
  ledger   [--minutes 5] [--seed N]              an hour of a ledger whose nodes fail and lag in turn, with replaced keys and strangers

All traffic stays on loopback. Figures depend on the machine and on what else runs there.
`
const RANDOM_SEED_LIMIT = 2 ** 31

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * RANDOM_SEED_LIMIT)) },
    seconds: { type: 'string', default: '8' },
    engine: { type: 'string', default: 'noble' },
    only: { type: 'string' },
    minutes: { type: 'string' },
    days: { type: 'string', default: '30' },
    underpayment: { type: 'string', default: '5' },
    strict: { type: 'boolean', default: false },
    ms: { type: 'string', default: '50' },
    store: { type: 'string' },
    http: { type: 'string' },
  },
})

function minutesOr(usual: number): number {
  return values.minutes === undefined ? usual : Number(values.minutes)
}

function roundsOr(usual: number): number {
  return values.rounds === undefined ? usual : Number(values.rounds)
}

type Scenario = (options: ScenarioOptions) => Promise<void>

const overload = { goodput, floods, newcomers, wallet: hotWallet, receiver: hangingReceiver, connections }
const hostileMerchant = { receivers: hangingReceivers, wallets: crowdedWallets, rivals }

/** Runs the scenarios, or the one that is asked for, and says which promises held. */
async function judge(scenarios: Readonly<Record<string, Scenario>>, only = values.only): Promise<void> {
  const seconds = Number(values.seconds)
  const verdicts = new Verdicts(seconds, say)
  for (const [name, run] of Object.entries(scenarios)) {
    if (only !== undefined && only !== name) continue
    await run({ seconds, engine: values.engine, verdicts, say })
  }
  if (!verdicts.conclude()) process.exitCode = 1
}

/** Runs an hour of what is watched in minutes, and says what was violated. */
async function watch(run: (options: NetworksOptions) => Promise<readonly string[]>): Promise<void> {
  say(`seed ${values.seed}`)
  conclude(await run({ minutes: minutesOr(5), seed: Number(values.seed), say }))
}

function conclude(violations: readonly string[]): void {
  for (const violation of violations) say(`VIOLATION: ${violation}`)
  if (violations.length > 0) process.exitCode = 1
  else say('no violation')
}

switch (positionals[0]) {
  case 'crash': {
    say(`seed ${values.seed}`)
    const report = await crashRounds({ rounds: roundsOr(100), seed: Number(values.seed), say })
    say(`no violation: ${JSON.stringify(report)}`)
    break
  }
  case 'cluster': {
    say(`seed ${values.seed}`)
    const server = await PostgresServer.start({ isDurable: true })
    try {
      const options = { rounds: roundsOr(100), seed: Number(values.seed), say, server }
      say(`no violation: ${JSON.stringify(await clusterCrashRounds(options))}`)
    } finally {
      await server.stop()
    }
    break
  }
  case 'failover': {
    say(`seed ${values.seed}`)
    const shown = await failoverRounds({ rounds: roundsOr(10), seed: Number(values.seed), say })
    say(`no violation in ${shown.length} rounds`)
    break
  }
  case 'patroni': {
    const missing = withoutPatroni()
    if (missing !== false) {
      process.stderr.write(`cannot run: ${missing}\n`)
      process.exitCode = 1
      break
    }
    say(`seed ${values.seed}`)
    const options = { rounds: roundsOr(3), seed: Number(values.seed), say }
    const shown = await failoverRounds(options, promotedByPatroni)
    say(`no violation in ${shown.length} rounds`)
    break
  }
  case 'distance':
    say(JSON.stringify(await distance(Number(values.ms))))
    break
  case 'overload':
    await judge(overload)
    break
  case 'hostile-merchant':
    await judge(hostileMerchant)
    break
  case 'crowd':
    await judge(
      { crowd: (options) => crowd({ ...options, store: values.store, http: values.http, play: values.only }) },
      'crowd',
    )
    break
  case 'slow-bodies':
    await judge({ slowBodies })
    break
  case 'shop': {
    say(`seed ${values.seed}`)
    const stores = STORES.filter((store) => values.store === undefined || store === values.store)
    const [days, underpayment] = [Number(values.days), Number(values.underpayment)]
    conclude(await shop({ days, underpayment, isStrict: values.strict, seed: Number(values.seed), stores, say }))
    break
  }
  case 'prices': {
    say(`seed ${values.seed}`)
    const stores = STORES.filter((store) => values.store === undefined || store === values.store)
    const [days, underpayment] = [Number(values.days), Number(values.underpayment)]
    conclude(await prices({ days, underpayment, seed: Number(values.seed), stores, say }))
    break
  }
  case 'soak':
    await soak({ minutes: minutesOr(20), engine: values.engine, say })
    break
  case 'long-answers':
    await judge({ longAnswers })
    break
  case 'networks':
    await watch(networks)
    break
  case 'hostile-chain':
    await watch(hostileChain)
    break
  case 'ledger':
    await watch(ledger)
    break
  default:
    process.stderr.write(USAGE)
    process.exitCode = 2
}
