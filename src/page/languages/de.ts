import type { Texts } from './en.js'

export const de: Texts = {
  titlePayment: 'Zahlung',
  titlePaid: 'Bezahlt',
  titleClosed: 'Nicht mehr zahlbar',

  sandbox: 'Testumgebung: Hier ist kein echtes Geld im Spiel',
  testNetwork: 'Testnetz',
  nativeCoin: 'Coin des Netzwerks',
  amountDue: 'Zu zahlender Betrag',
  invoiceAmount: 'Rechnungsbetrag',
  ofAmount: 'von {amount}',

  nothingSeen: 'Noch keine Zahlung eingegangen',
  partlySeen: '{seen} eingegangen, es fehlen noch {missing}',
  partlyPending: 'Das Netzwerk hat noch nicht alles bestätigt.',
  allSeen: '{seen} eingegangen, es ist nichts mehr zu senden',
  allPending: 'Die Bestätigung durch das Netzwerk steht noch aus.',
  excessSeen: 'Das sind {excess} zu viel.',
  paid: 'Bezahlt. Es ist nichts mehr offen.',
  overpaidReceived: 'Bezahlt. Es wurden {excess} zu viel empfangen.',
  overpaidSeen: 'Bezahlt. Es sind {excess} zu viel eingegangen.',
  askAboutExcess: 'Wenden Sie sich wegen der Differenz an den Händler.',
  closed: 'Diese Rechnung kann nicht mehr bezahlt werden.',
  closedUnpaid: 'Es ist nichts eingegangen. Wenden Sie sich an den Händler, wenn Sie noch zahlen möchten.',
  closedReceived: '{received} wurden empfangen.',
  closedPending: '{pending} sind eingegangen und warten auf Bestätigung.',
  closedAsk: 'Senden Sie nichts mehr und wenden Sie sich an den Händler.',

  network: 'Netzwerk',
  sendToAddress: 'Senden Sie {amount} an diese Adresse',
  sendOnly:
    'Senden Sie nur {coin} und nur über das Netzwerk {network}. Alles andere wird dieser Rechnung nicht angerechnet.',
  differentCoins:
    '{coins} sind verschiedene Coins mit verschiedenem Wert. Diese Rechnung verlangt von beiden dieselbe Anzahl: Fragen Sie den Händler, welcher gemeint ist, wenn Sie nicht sicher sind.',
  payBefore: 'Zahlen Sie vor dem {time}.',
  unknownNetwork: 'Netzwerk noch nicht bekannt',
  unknownAddress: 'Die Adresse dieser Wallet ist noch nicht bekannt. Kommen Sie gleich noch einmal.',
  qrCode: 'QR-Code der Adresse',
  openInWallet: 'In einer Wallet öffnen',
  tokenContract: 'Token-Vertrag von {coin} auf {network}',

  transactions: 'Eingegangene Transaktionen',
  confirmed: 'Bestätigt',
  confirmationsOf: '{count} von {needed} Bestätigungen',
  confirmationsSoFar: 'Bestätigungen bisher: {count}',
  unconfirmed: 'Wartet auf Bestätigung',
  moreTransactions: 'Das sind die neuesten {count}; es gibt weitere.',
  explorerTab: '(Block-Explorer, in einem neuen Tab)',

  copyAddress: 'Adresse kopieren',
  copyAmount: 'Betrag kopieren',
  copied: 'Kopiert',
  timeLeft: 'Verbleibende Zeit: {time}',

  refreshNow: 'Jetzt aktualisieren',
  language: 'Sprache',

  backTo: 'Zurück zu {name}',
  contact: 'Kontakt: {contact}',

  receipt: 'Zahlungsbeleg',
  printReceipt: 'Zahlungsbeleg drucken',
  printHint: 'Drucken Sie diese Seite, um einen Zahlungsbeleg zu erhalten.',
  paidTo: 'Bezahlt an',
  contactLabel: 'Kontakt',
  invoiceNumber: 'Rechnungsnummer',
  paidOn: 'Bezahlt am',
  amountReceived: 'Erhaltener Betrag',

  notFoundTitle: 'Rechnung nicht gefunden',
  notFoundText:
    'Unter dieser Adresse gibt es keine Rechnung. Prüfen Sie den Link oder bitten Sie den Händler um einen neuen.',
  tooManyTitle: 'Zu viele Anfragen',
  tooManyText:
    'Aus Ihrem Netz wurden zu viele Seiten abgerufen. Eine bereits gesendete Zahlung ist davon nicht betroffen.',
  busyTitle: 'Diese Seite ist überlastet',
  busyText: 'Die Seite kann gerade nicht angezeigt werden. Eine bereits gesendete Zahlung ist davon nicht betroffen.',
  defectTitle: 'Etwas ist schiefgegangen',
  defectText: 'Die Seite kann nicht angezeigt werden. Eine bereits gesendete Zahlung ist davon nicht betroffen.',
  rejectedTitle: 'Diese Anfrage kann nicht beantwortet werden',
  rejectedText: 'Öffnen Sie den Link der Rechnung noch einmal.',
  triesAgain: 'Diese Seite versucht es nach {seconds} Sekunden von selbst noch einmal.',
  tryNow: 'Jetzt noch einmal versuchen',
}
