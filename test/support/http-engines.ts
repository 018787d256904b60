import { existsSync } from 'node:fs'
import { uwsBinaries } from '../../src/program-files.js'

/** The engines of the HTTP port. */
export type HttpEngine = 'uws' | 'node'

const name = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`
const directory = uwsBinaries()
/**
 * Whether uWebSockets.js has a binary for this Node. One that is there and does not load is a failure of the tests, not a
 * reason to leave them out.
 */
const hasUws = directory !== null && existsSync(new URL(name, directory))

/** The engines that run on this Node. */
export const HTTP_ENGINES: readonly HttpEngine[] = hasUws ? ['uws', 'node'] : ['node']
