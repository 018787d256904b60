import type { ObservedTransfer } from '../domain/block.js'
import type { Deposit } from '../domain/deposit.js'
import type { Network } from '../domain/network.js'
import type { DepositField, Difference } from '../networks/difference.js'
import { printable } from './output.js'

/**
 * A difference as one line for people. Text from others, such as a pushed hash, cannot send control characters to a
 * terminal.
 */
export function differenceLine(network: Network, difference: Difference): string {
  return printable(whatDiffers(network, difference))
}

function whatDiffers(network: Network, difference: Difference): string {
  switch (difference.type) {
    case 'missing': {
      const { height, transfer } = difference
      return `${place(network, height, transfer)}: not recorded: ${value(transfer)}`
    }
    case 'other': {
      const { height, fields, transfer, deposit } = difference
      const parts = fields.map((field) => fieldText(field, transfer, deposit))
      return `${place(network, height, transfer)}: recorded otherwise: ${parts.join('; ')}`
    }
    case 'not_on_chain': {
      const { height, deposit } = difference
      return `${place(network, height, deposit)}: recorded as ${deposit.kind}, but not on the chain: ${value(deposit)}`
    }
    case 'untold': {
      const { height, txHash, reason } = difference
      return `${network} block ${height} transaction ${txHash}: what contracts send in it is not known, look it up: ${reason}`
    }
    case 'unplaced': {
      const { deposit } = difference
      const time = new Date(deposit.receivedAt).toISOString()
      const where = `${network} transaction ${deposit.txHash} index ${deposit.index}`
      return `${where}: recorded as ${deposit.kind} at ${time}, and in none of these blocks; left as it is: ${value(deposit)}`
    }
  }
}

function place(network: Network, height: number, { txHash, index }: Pick<Deposit, 'txHash' | 'index'>): string {
  return `${network} block ${height} transaction ${txHash} index ${index}`
}

function value({ amount, currency, toAddress }: Pick<Deposit, 'amount' | 'currency' | 'toAddress'>): string {
  return `${amount} ${currency ?? '#native'} to ${toAddress}`
}

function fieldText(field: DepositField, transfer: ObservedTransfer, deposit: Deposit): string {
  switch (field) {
    case 'toAddress':
      return `to ${deposit.toAddress} instead of ${transfer.toAddress}`
    case 'currency':
      return `currency ${deposit.currency ?? '#native'} instead of ${transfer.currency ?? '#native'}`
    case 'amount':
      return `amount ${deposit.amount} instead of ${transfer.amount}`
    case 'receivedAt':
      return `received at ${new Date(deposit.receivedAt).toISOString()}, which is not the time of the block`
    case 'kind':
      return `${deposit.kind} instead of confirmed`
  }
}
