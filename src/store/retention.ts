/** What the retention removes. Invoices, deposits, wallets and keys are the books, and stay. */
export type RemovedRows = 'events' | 'deliveries' | 'requests' | 'owner_events' | 'audit'
