import { WrongNode } from '../network-reader.js'
import type { ChainNode } from './chain-node.js'

/** A node of a network whose settings cannot be right: it is asked for nothing. */
export function misconfiguredNode(flaw: string): ChainNode {
  const refuse = () => Promise.reject(new WrongNode(flaw))
  return {
    check: refuse,
    head: refuse,
    timeOf: refuse,
    block: refuse,
    fresh: refuse,
    blocks: refuse,
    examine: refuse,
    hashes: refuse,
  }
}
