import { parseArgs } from 'node:util'
import { ethereumReader, watching } from '../test/networks/ethereum/fixture.js'
import { temporaryDirectory } from '../test/support/temporary-directory.js'
import { Child } from './child.js'
import { accountNumber, TOKEN } from './second-layer/chain.js'
import type { NodeTask } from './second-layer/node-child.js'
import { measureServiceCatchUp } from './service-catch-up.js'

/*
 * Measures how fast full blocks of a second layer are read: by the reader alone, and by a whole service that records them,
 * confirmed ones and such that wait for their finality. The node that makes the blocks up runs on the same machine.
 *
 *     node dist/bench/second-layer.js [--blocks 2000] [--transfers 200] [--wallets 1000]
 */
