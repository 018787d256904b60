/** Every text of the pages. `{name}` is a placeholder. The other languages have the same keys and placeholders. */
export const en = {
  titlePayment: 'Payment',
  titlePaid: 'Paid',
  titleClosed: 'No longer payable',

  sandbox: 'Sandbox: nothing here is real money',
  testNetwork: 'Test network',
  nativeCoin: 'native coin',
  amountDue: 'Amount due',
  invoiceAmount: 'Invoice amount',
  ofAmount: 'of {amount}',

  nothingSeen: 'No payment seen yet',
  partlySeen: '{seen} seen, {missing} more to send',
  partlyPending: 'The network has not confirmed everything yet.',
  allSeen: '{seen} seen, nothing more to send',
  allPending: 'Waiting for the network to confirm it. You can close this page.',
  excessSeen: 'It is {excess} too much.',
  paid: 'Paid. Nothing more is due.',
  overpaidReceived: 'Paid. {excess} too much was received.',
  overpaidSeen: 'Paid. {excess} too much was seen.',
  askAboutExcess: 'Ask the merchant about the difference.',
  closed: 'This invoice is no longer payable.',
  closedExpired: 'The time to pay is over.',
  closedUnpaid: 'Nothing was received. Ask the merchant if you still want to pay.',
  closedReceived: '{received} was received.',
  closedPending: '{pending} was seen and waits for confirmation.',
  closedAsk: 'Send nothing more, and ask the merchant about it.',
  closedWatching: 'If something is still on its way, this page will show it.',

  network: 'Network',
  sendToAddress: 'Send {amount} to this address',
  sendOnly: 'Send only {coin}, and only on {network}. Anything else may be lost.',
  tokenAlias: 'Exchanges and wallets may show USDT instead of {coin}. What counts is the token contract below.',
  fullAmount:
    'The address must receive the full {amount}. If your exchange takes its fee off what you enter, enter that much more.',
  feeCoin: 'A wallet of your own also needs a little {coin} for the fee of the network.',
  confirmationTakes: 'The network takes about {time} to confirm a payment.',
  strayArrived:
    '{sum} arrived on {network}. This invoice asks for {coin}, so it does not count. Ask the merchant about it.',
  differentCoins:
    '{coins} are different coins with different values. This invoice asks for the same number of whichever you send: ask the merchant which one is meant if you are not sure.',
  payBefore: 'Pay before {time}.',
  lastCall:
    'Do not send anything any more. The time is nearly up, and a payment could arrive too late. Ask the merchant if you still want to pay.',
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
  connectionLost:
    'No connection. What you see may be out of date; the page keeps trying. A payment that you have sent is not affected.',
  language: 'Language',

  backTo: 'Back to {name}',
  backToShop: 'Back to the shop',
  contact: 'Contact: {contact}',

  receipt: 'Receipt',
  printReceipt: 'Print receipt',
  printHint: 'Print this page to get a receipt.',
  paidTo: 'Paid to',
  contactLabel: 'Contact',
  invoiceNumber: 'Invoice number',
  orderNumber: 'Order number',
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

  walletPay: 'Pay {amount} with {wallet}',
  walletNameless: 'your browser wallet',
  walletConfirm: 'Confirm in your wallet.',
  walletSilent: 'Your wallet does not answer. Nothing was sent. Open it, and try again.',
  walletStillSilent:
    'Your wallet has not answered yet. Open it: the payment may be waiting there for you to confirm it.',
  walletRefused: 'You declined in the wallet. Nothing was sent.',
  walletUnknownNetwork:
    'Your wallet does not know the network {network}. Add it there, and try again. Nothing was sent.',
  walletOtherNetwork: 'Your wallet is not on the network {network}. Choose it there, and try again. Nothing was sent.',
  walletTooLittle: 'Your wallet has {balance}, but {amount} is due. Nothing was sent.',
  walletNoFee: 'Your wallet has no {coin} for the fee of the network. Nothing was sent.',
  walletFailed: 'Your wallet reported an error. Nothing was sent. You can also send to the address below.',
  walletUnsure: 'Your wallet reported an error. Check there whether the payment was sent before you try again.',
  walletChanged: 'The invoice has changed meanwhile. Nothing was sent.',
  walletSent: 'Sent. This page will show the payment. Do not pay again.',
  walletReverted: 'The transaction failed. Nothing was paid. You can try again.',
} as const

export type TextKey = keyof typeof en
export type Texts = Readonly<Record<TextKey, string>>
