/** A place in the app, as the fragment of its address says it. */
export interface Place {
  readonly screen: 'invoices' | 'create' | 'invoice' | 'wallets' | 'settings'
  /** Of the record that is shown; empty where there is none. */
  readonly id: string
}

/** Everything unknown is the list of invoices: the fragment may come from anywhere. */
export function placeOf(fragment: string): Place {
  const [, first = '', second = ''] = /^#\/([a-z-]+)(?:\/([\w-]{1,64}))?$/.exec(fragment) ?? []
  if (first === 'wallets' || first === 'settings') return { screen: first, id: '' }
  if (first !== 'invoices' || second === '') return { screen: 'invoices', id: '' }
  return second === 'new' ? { screen: 'create', id: '' } : { screen: 'invoice', id: second }
}
