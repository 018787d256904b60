/** Every text of the pages. `{name}` is a placeholder. The other languages have the same keys and placeholders. */
export const en = {
  titlePayment: 'Payment',
  titlePaid: 'Paid',
  titleClosed: 'No longer payable',

  sandbox: 'Sandbox: nothing here is real money',
  testNetwork: 'Test network',
  nativeCoin: 'native coin',
  ofAmount: 'of {amount}',

  nothingSeen: 'No payment seen yet',
  partlySeen: '{seen} seen, {missing} more to send',
  partlyPending: 'The network has not confirmed everything yet.',
  allSeen: '{seen} seen, nothing more to send',
  allPending: 'Waiting for the network to confirm it.',
  excessSeen: 'It is {excess} too much.',
  paid: 'Paid. Nothing more is due.',
  overpaidReceived: 'Paid. {excess} too much was received.',
  overpaidSeen: 'Paid. {excess} too much was seen.',
  askAboutExcess: 'Ask the merchant about the difference.',
  closed: 'This invoice is no longer payable.',
  closedUnpaid: 'Nothing was received. Ask the merchant if you still want to pay.',
  closedReceived: '{received} was received.',
  closedPending: '{pending} was seen and waits for confirmation.',
  closedAsk: 'Send nothing more, and ask the merchant about it.',

  network: 'Network',
  sendToAddress: 'Send {amount} to this address',
  sendOnly: 'Send only {coin}, and only on {network}. Anything else does not count for this invoice.',
  differentCoins:
    '{coins} are different coins with different values. This invoice asks for the same number of either: ask the merchant which one is meant if you are not sure.',
  payBefore: 'Pay before {time}.',
  unknownNetwork: 'Network not known yet',
  unknownAddress: 'The address of this wallet is not known yet. Come back in a moment.',
  qrCode: 'QR code of the address',
  openInWallet: 'Open in a wallet',
  tokenContract: 'Token contract of {coin} on {network}',

  transactions: 'Transactions seen',
  confirmed: 'Confirmed',
  confirmationsOf: '{count} of {needed} confirmations',
  confirmationsSoFar: 'Confirmations so far: {count}',
  unconfirmed: 'Waiting for confirmation',
  moreTransactions: 'These are the newest {count}; there are more.',
  explorerTab: '(block explorer, in a new tab)',

  copyAddress: 'Copy address',
  copyAmount: 'Copy amount',
  copied: 'Copied',
  timeLeft: 'Time left: {time}',

  refreshNow: 'Refresh now',
  language: 'Language',

  backTo: 'Back to {name}',
  contact: 'Contact: {contact}',

  receipt: 'Receipt',
  printReceipt: 'Print receipt',
  printHint: 'Print this page to get a receipt.',
  paidTo: 'Paid to',
  contactLabel: 'Contact',
  invoiceNumber: 'Invoice number',
  paidOn: 'Paid on',
  amountReceived: 'Amount received',

  notFoundTitle: 'Invoice not found',
  notFoundText: 'There is no invoice at this address. Check the link, or ask the merchant for a new one.',
  tooManyTitle: 'Too many requests',
  tooManyText: 'Your network has asked for too many pages. A payment that you have sent is not affected.',
  busyTitle: 'This page is busy',
  busyText: 'The page cannot be shown at the moment. A payment that you have sent is not affected.',
  defectTitle: 'Something went wrong',
  defectText: 'The page cannot be shown. A payment that you have sent is not affected.',
  rejectedTitle: 'This request cannot be answered',
  rejectedText: 'Open the link of the invoice again.',
  triesAgain: 'This page tries again by itself after {seconds} seconds.',
  tryNow: 'Try again now',
} as const

export type TextKey = keyof typeof en
export type Texts = Readonly<Record<TextKey, string>>
