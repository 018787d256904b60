/** A process that has loaded the C library, and ends. */
import { systemLibrary } from '../../src/cli/system-calls.js'

await systemLibrary()
process.exit(0)
