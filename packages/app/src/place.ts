/** The screens, by the first part of the fragment. The first one is where the app begins. */
const LISTS = ['invoices', 'orders', 'till', 'overview', 'wallets', 'webhooks', 'keys', 'settings'] as const
/** Those of them whose records have screens of their own, with the screen of one and the one that makes one. */
const RECORDS = {
  invoices: { one: 'invoice', create: 'create-invoice' },
  orders: { one: 'order', create: 'create-order' },
} as const

type List = (typeof LISTS)[number]
type Records = keyof typeof RECORDS

/** A place in the app, as the fragment of its address says it. */
export interface Place {
  readonly screen: List | (typeof RECORDS)[Records]['one' | 'create']
  /** The link in the frame that leads there. */
  readonly list: List
  /** Of the record that is shown; empty where there is none. */
  readonly id: string
}

/** Everything unknown is where the app begins: the fragment may come from anywhere. */
export function placeOf(fragment: string): Place {
  const [, first = '', second = ''] = /^#\/([a-z]+)(?:\/([\w-]{1,64}))?$/.exec(fragment) ?? []
  const list = LISTS.find((name) => name === first) ?? LISTS[0]
  if (second === '' || !hasRecords(list)) return { screen: list, list, id: '' }
  const { one, create } = RECORDS[list]
  return second === 'new' ? { screen: create, list, id: '' } : { screen: one, list, id: second }
}

function hasRecords(list: List): list is Records {
  return Object.hasOwn(RECORDS, list)
}
