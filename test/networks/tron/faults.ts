import type { Fault, FaultyAnswer } from '../../support/tron-node.js'

/** A JSON value that may be changed. */
// biome-ignore lint/suspicious/noExplicitAny: the faults reach into answers of every shape
type Editable = any

const HEADS = /getnowblock$/
const BLOCKS = /getblockby(?:num|limitnext)$/
const RECEIPTS = /gettransactioninfobyblocknum$/
const EVERYTHING = /./

/** Something that a node does wrong, and the paths that suffer. */
export interface NodeFault {
  readonly name: string
  readonly path: RegExp
  readonly fault: Fault
  /** It is a refusal for the rate: no failure of the node, and the same call is made again. */
  readonly isLimit?: true
}

/** Changes a copy of the answer. */
function edited(change: (answer: Editable) => unknown): Fault {
  return (answer) => {
    const copy = structuredClone(answer)
    return { json: change(copy) ?? copy }
  }
}

/** Changes each block of an answer, be it one or many, unless it is the empty object. */
function blocks(name: string, change: (block: Editable) => void): NodeFault {
  const fault = edited((answer) => {
    for (const block of answer.block ?? [answer]) if (block.blockID !== undefined) change(block)
  })
  return { name: `blocks: ${name}`, path: BLOCKS, fault }
}

/** Changes each transaction of each block. */
function transactions(name: string, change: (transaction: Editable) => void): NodeFault {
  return blocks(name, (block) => {
    for (const transaction of block.transactions ?? []) change(transaction)
  })
}

/** Changes each TRX transfer of each block. */
function transfers(name: string, change: (value: Editable) => void): NodeFault {
  return transactions(name, ({ raw_data: { contract } }) => {
    if (contract[0]?.type === 'TransferContract') change(contract[0].parameter.value)
  })
}

function receipts(name: string, change: (infos: Editable) => unknown): NodeFault {
  return { name: `receipts: ${name}`, path: RECEIPTS, fault: edited(change) }
}

/** Changes the receipts that have logs. */
function logged(name: string, change: (info: Editable) => void): NodeFault {
  return receipts(name, (infos) => {
    for (const info of infos) if (info.log !== undefined) change(info)
  })
}

function everything(name: string, answer: FaultyAnswer): NodeFault {
  return { name, path: EVERYTHING, fault: () => answer }
}

function limit(name: string, answer: FaultyAnswer): NodeFault {
  return { ...everything(name, answer), isLimit: true }
}

function raiseHeight(blockId: string): string {
  return (BigInt(`0x${blockId.slice(0, 16)}`) + 1n).toString(16).padStart(16, '0') + blockId.slice(16)
}

/** What goes wrong with whole answers. */
export const transportFaults: readonly NodeFault[] = [
  everything('403', { text: '{}', status: 403 }),
  limit('429 that asks to wait', { text: '', status: 429, headers: { 'retry-after': '7' } }),
  everything('500', { text: 'Internal Server Error', status: 500 }),
  everything('503 with JSON', { text: '[]', status: 503 }),
  everything('a redirect', { text: '', status: 302, headers: { location: 'http://127.0.0.1:1/' } }),
  everything('200 with an error', { json: { Error: 'class java.lang.NullPointerException : null' } }),
  limit('200 with its own rate limit', { json: { Error: 'lack of computing resources' } }),
  limit('200 with a text of a limit', { text: 'Too Many Requests' }),
  limit('200 with a page of a limit', { text: '<html><h1>429 Too Many Requests</h1></html>' }),
  limit('200 with a text of JSON about a limit', { json: 'rate limit exceeded' }),
  limit('200 with a list of an error about a limit', { json: [{ Error: 'rate limit exceeded' }] }),
  limit('200 with a message of a gateway about a limit', { json: { message: 'API rate limit exceeded' } }),
  limit('200 with an object of an error about a limit', { json: { error: { message: 'Too many requests' } } }),
  limit('200 with a code and a message about a limit', { json: { code: 429, msg: 'too many requests' } }),
  limit('403 that asks to wait', { text: '', status: 403, headers: { 'retry-after': '7' } }),
  limit('500 with the words of a limit', { json: { Error: 'lack of computing resources' }, status: 500 }),
  everything('200 with an error of no text', { json: { Error: { toString: 1 } } }),
  everything('a lite node that keeps no history', { text: 'this API is closed because this node is a lite fullnode' }),
  everything('no text', { text: '' }),
  everything('HTML', { text: '<html><body>502 Bad Gateway</body></html>' }),
  everything('null', { json: null }),
  everything('a number', { json: 7 }),
  everything('a text', { json: 'ok' }),
  everything('an empty list in a list', { json: [[]] }),
  everything('levels without end', { text: '['.repeat(500_000) }),
  everything('a prototype', { text: '{"__proto__":{"blockID":"00"},"constructor":1}' }),
  everything('not UTF-8', { text: '{"blockID":"\ud800"}' }),
  everything('a connection that ends', 'cut'),
  everything('an answer without end', 'endless'),
  {
    name: 'half an answer',
    path: EVERYTHING,
    fault: (answer) => ({ text: JSON.stringify(answer, plain).slice(0, -20) }),
  },
]

/** `{}`, which may also mean that there is no such block yet. */
export const nothing: NodeFault = everything('nothing', { json: {} })

/** What goes wrong with the newest blocks. */
export const headFaults: readonly NodeFault[] = [
  { name: 'newest: no header', path: HEADS, fault: edited((block) => ({ blockID: block.blockID })) },
  {
    name: 'newest: another number than in its id',
    path: HEADS,
    fault: edited((block) => {
      block.block_header.raw_data.number += 1
    }),
  },
  {
    name: 'newest: a height that no number holds exactly',
    path: HEADS,
    fault: edited((block) => {
      // One less is the same number.
      const id = `${(2n ** 60n).toString(16).padStart(16, '0')}${block.blockID.slice(16)}`
      block.blockID = id
      block.block_header.raw_data.number = 2n ** 60n
      block.block_header.raw_data.parentHash = id
    }),
  },
  {
    name: 'newest: a number without end',
    path: HEADS,
    fault: edited((block) => {
      block.block_header.raw_data.number = 10n ** 300n
    }),
  },
]

/** What goes wrong within blocks. */
export const blockFaults: readonly NodeFault[] = [
  blocks('another number', ({ block_header }) => {
    block_header.raw_data.number += 1
  }),
  blocks('a number that is a text', ({ block_header }) => {
    block_header.raw_data.number = String(block_header.raw_data.number)
  }),
  blocks('another block altogether', (block) => {
    block.block_header.raw_data.number += 1
    block.block_header.raw_data.parentHash = block.blockID
    block.blockID = raiseHeight(block.blockID)
  }),
  blocks('an id of another height', (block) => {
    block.blockID = raiseHeight(block.blockID)
  }),
  blocks('no id', (block) => {
    delete block.blockID
    block.id = ''
  }),
  blocks('half an id', (block) => {
    block.blockID = block.blockID.slice(0, 32)
  }),
  blocks('a parent of another height', ({ block_header: { raw_data } }) => {
    raw_data.parentHash = raiseHeight(raw_data.parentHash)
  }),
  blocks('no parent', ({ block_header }) => {
    delete block_header.raw_data.parentHash
  }),
  blocks('no time', ({ block_header }) => {
    delete block_header.raw_data.timestamp
  }),
  blocks('a time before 1970', ({ block_header }) => {
    block_header.raw_data.timestamp = -1
  }),
  blocks('a time beyond all calendars', ({ block_header }) => {
    block_header.raw_data.timestamp = 2 ** 48
  }),
  blocks('a time that is none', ({ block_header }) => {
    block_header.raw_data.timestamp = 1.5
  }),
  blocks('no header', (block) => {
    delete block.block_header
  }),
  blocks('the header alone', (block) => {
    delete block.transactions
  }),
  blocks('transactions that are no list', (block) => {
    block.transactions = { ...block.transactions }
  }),
  blocks('a transaction twice', (block) => {
    block.transactions?.push(block.transactions[0])
  }),
  blocks('the first transaction is missing', (block) => {
    block.transactions?.shift()
  }),
  blocks('a transaction is null', (block) => {
    block.transactions = [...(block.transactions ?? []).slice(1), null]
  }),
  blocks('the transactions of no tree', ({ block_header }) => {
    block_header.raw_data.txTrieRoot = '0'.repeat(64)
  }),
  transactions('ids of other transactions', (transaction) => {
    transaction.txID = `${transaction.txID.slice(0, 63)}${transaction.txID.endsWith('0') ? '1' : '0'}`
  }),
  transactions('ids in capitals', (transaction) => {
    transaction.txID = `A${transaction.txID.slice(1).toUpperCase()}`
  }),
  transactions('no contents', (transaction) => {
    delete transaction.raw_data
  }),
  transactions('two contracts', ({ raw_data: { contract } }) => {
    contract.push({ type: 'VoteWitnessContract', parameter: { value: {} } })
  }),
  transactions('contracts of no type', ({ raw_data: { contract } }) => {
    delete contract[0].type
  }),
  transactions('two results', ({ ret }) => {
    ret.push({ contractRet: 'REVERT' })
  }),
  transactions('no results', (transaction) => {
    delete transaction.ret
  }),
  transactions('results that are left out', ({ ret }) => {
    delete ret[0].contractRet
  }),
  transactions('results that are no names', ({ ret }) => {
    ret[0].contractRet = ['SUCCESS']
  }),
  transfers('an amount that is a text', (value) => {
    value.amount = String(value.amount)
  }),
  transfers('an amount with a fraction', (value) => {
    value.amount = 1.5
  }),
  transfers('a negative amount', (value) => {
    value.amount = -value.amount
  }),
  transfers('an amount beyond int64', (value) => {
    value.amount = 2n ** 63n
  }),
  transfers('an amount without end', (value) => {
    value.amount = 10n ** 400n
  }),
  transfers('an address of a log', (value) => {
    value.to_address = value.to_address.slice(2)
  }),
  transfers('an address with 0x', (value) => {
    value.to_address = `0x${value.to_address}`
  }),
]

/** What goes wrong within receipts. */
export const receiptFaults: readonly NodeFault[] = [
  receipts('none yet', () => []),
  receipts('the first is missing', (infos) => infos.slice(1)),
  receipts('the last is missing', (infos) => infos.slice(0, -1)),
  receipts('one too many', (infos) => [...infos, { ...infos[0], id: '0'.repeat(64) }]),
  receipts('one twice, another missing', (infos) => [...infos.slice(0, 1), ...infos.slice(0, -1)]),
  receipts('one twice', (infos) => [...infos, ...infos.slice(0, 1)]),
  receipts('of other transactions', (infos) => infos.map((info: Editable) => ({ ...info, id: 'f'.repeat(64) }))),
  receipts('of another height', (infos) => {
    for (const info of infos) info.blockNumber += 1
  }),
  receipts('of another time', (infos) => {
    for (const info of infos) info.blockTimeStamp += 3000
  }),
  receipts('of no block', (infos) => {
    for (const info of infos) delete info.blockNumber
  }),
  receipts('no ids', (infos) => {
    for (const info of infos) delete info.id
  }),
  receipts('an object', (infos) => ({ ...infos })),
  receipts('nulls', (infos) => infos.map(() => null)),
  receipts('results that are numbers', (infos) => {
    for (const info of infos) info.receipt.result = 1
  }),
  receipts('an error', () => ({ Error: 'class java.lang.IllegalStateException : null' })),
  logged('logs with an address of a transaction', (info) => {
    info.log[0].address = `41${info.log[0].address}`
  }),
  logged('a topic that is no address', (info) => {
    info.log[0].topics[2] = info.log[0].topics[2].replace('0', '1')
  }),
  logged('no result', (info) => {
    delete info.receipt.result
  }),
  logged('another result than the block', (info) => {
    info.receipt.result = info.receipt.result === 'SUCCESS' ? 'REVERT' : 'SUCCESS'
  }),
]

/** `JSON.stringify` knows no bigints. */
function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
