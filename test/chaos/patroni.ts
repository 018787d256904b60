import { PatroniCluster } from '../support/patroni-cluster.js'
import type { FailoverForm } from './failover.js'

/** Patroni and etcd promote the standby, with the time-outs of the example in `deploy/patroni`. */
export const promotedByPatroni: FailoverForm = {
  // The primary is away for as long as its claim lasts, and what was refused meanwhile is repeated one by one.
  pauseMs: 100,
  waitLimitMs: 180_000,
  start: () => PatroniCluster.start(),
}
