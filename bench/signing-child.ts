import { Merchants } from './merchants.js'
import { argument, tell } from './parent.js'
import { writeRequestFile } from './request-file.js'
import type { SigningTask } from './signing.js'

/** Writes signed creations to a request file, and says when it is complete. */

const { path, keys, wallets, on, from, count } = argument<SigningTask>()
const merchants = new Merchants(keys, wallets)
await writeRequestFile(path, count, (n) => merchants.signedCreate(from + n, on))
tell({ written: count })
