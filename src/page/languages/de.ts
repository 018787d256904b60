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
  partlySeen: '{seen} eingegangen, noch zu senden: {missing}',
  partlyPending: 'Das Netzwerk hat noch nicht alles bestätigt.',
  allSeen: '{seen} eingegangen, es ist nichts mehr zu senden',
  allPending: 'Die Bestätigung durch das Netzwerk steht noch aus. Sie können diese Seite schließen.',
  excessSeen: 'Das sind {excess} zu viel.',
  paid: 'Bezahlt. Es ist nichts mehr offen.',
  overpaidReceived: 'Bezahlt. Es wurden {excess} zu viel empfangen.',
  overpaidSeen: 'Bezahlt. Es sind {excess} zu viel eingegangen.',
  askAboutExcess: 'Wenden Sie sich wegen der Differenz an den Händler.',
  closed: 'Diese Rechnung kann nicht mehr bezahlt werden.',
  closedExpired: 'Die Zahlungsfrist ist abgelaufen.',
  closedUnpaid: 'Es ist nichts eingegangen. Wenden Sie sich an den Händler, wenn Sie noch zahlen möchten.',
  closedReceived: '{received} wurden empfangen.',
  closedPending: '{pending} sind eingegangen und warten auf Bestätigung.',
  closedAsk: 'Senden Sie nichts mehr und wenden Sie sich an den Händler.',
  closedWatching: 'Wenn noch etwas unterwegs ist, wird es auf dieser Seite angezeigt.',

  network: 'Netzwerk',
  sendToAddress: 'Senden Sie {amount} an diese Adresse',
  sendOnly: 'Senden Sie nur {coin} und nur über das Netzwerk {network}. Alles andere kann verloren gehen.',
  tokenAlias: 'Börsen und Wallets zeigen statt {coin} oft USDT an. Maßgeblich ist der Token-Vertrag unten.',
  fullAmount:
    'An der Adresse muss der volle Betrag von {amount} ankommen. Wenn Ihre Börse die Gebühr von Ihrer Eingabe abzieht, geben Sie entsprechend mehr ein.',
  feeCoin: 'Eine eigene Wallet braucht außerdem etwas {coin} für die Gebühr des Netzwerks.',
  confirmationTakes: 'Das Netzwerk braucht etwa {time}, um eine Zahlung zu bestätigen.',
  strayArrived:
    '{sum} sind über {network} eingegangen. Diese Rechnung verlangt {coin}, deshalb zählt das nicht. Wenden Sie sich an den Händler.',
  differentCoins:
    '{coins} sind verschiedene Coins mit verschiedenem Wert. Diese Rechnung verlangt von jedem dieselbe Anzahl: Fragen Sie den Händler, welcher gemeint ist, wenn Sie nicht sicher sind.',
  payBefore: 'Zahlen Sie vor dem {time}.',
  lastCall:
    'Senden Sie jetzt nichts mehr. Die Zeit ist fast abgelaufen, und eine Zahlung könnte zu spät ankommen. Wenden Sie sich an den Händler, wenn Sie noch zahlen möchten.',
  unknownNetwork: 'Netzwerk noch nicht bekannt',
  unknownAddress: 'Die Adresse dieser Wallet ist noch nicht bekannt. Kommen Sie gleich noch einmal.',
  qrCode: 'QR-Code der Adresse',
  openInWallet: 'In einer Wallet öffnen',
  tokenContract: 'Token-Vertrag von {coin} auf {network}',

  payWith: 'Bezahlen mit',
  price: 'Preis',
  rate: 'Kurs',
  rateUntil: 'Zahlen Sie vor dem {time}. Bis dahin gilt der Kurs.',
  rateKept: 'Der Kurs gilt, bis der Rest bezahlt ist.',
  orderClosed: 'Diese Bestellung kann nicht mehr bezahlt werden.',
  orderExpired: 'Es ist nichts eingegangen. Bestellen Sie im Shop noch einmal, um einen neuen Preis zu erhalten.',
  orderAgain: 'Noch einmal bestellen',
  orderAgainAt: 'Noch einmal bestellen bei {name}',
  orderStray:
    '{sum} sind über {network} eingegangen. Diese Bestellung verlangt {coin}, deshalb zählt das nicht. Wenden Sie sich an den Händler.',
  orderId: 'ID der Bestellung',

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
  connectionLost:
    'Keine Verbindung. Die Anzeige ist möglicherweise veraltet; die Seite versucht es weiter. Eine bereits gesendete Zahlung ist davon nicht betroffen.',
  language: 'Sprache',

  backTo: 'Zurück zu {name}',
  backToShop: 'Zurück zum Shop',
  contact: 'Kontakt: {contact}',

  receipt: 'Zahlungsbeleg',
  printReceipt: 'Zahlungsbeleg drucken',
  printHint: 'Drucken Sie diese Seite, um einen Zahlungsbeleg zu erhalten.',
  paidTo: 'Bezahlt an',
  contactLabel: 'Kontakt',
  invoiceNumber: 'Rechnungsnummer',
  orderNumber: 'Bestellnummer',
  paidOn: 'Bezahlt am',
  amountReceived: 'Erhaltener Betrag',

  notFoundTitle: 'Rechnung nicht gefunden',
  notFoundText:
    'Unter dieser Adresse gibt es keine Rechnung. Prüfen Sie den Link oder bitten Sie den Händler um einen neuen.',
  orderNotFoundTitle: 'Bestellung nicht gefunden',
  orderNotFoundText:
    'Unter dieser Adresse gibt es keine Bestellung. Prüfen Sie den Link oder bitten Sie den Händler um einen neuen.',
  tooManyTitle: 'Zu viele Anfragen',
  tooManyText:
    'Aus Ihrem Netz wurden zu viele Seiten abgerufen. Eine bereits gesendete Zahlung ist davon nicht betroffen.',
  busyTitle: 'Diese Seite ist überlastet',
  busyText: 'Die Seite kann gerade nicht angezeigt werden. Eine bereits gesendete Zahlung ist davon nicht betroffen.',
  defectTitle: 'Etwas ist schiefgegangen',
  defectText: 'Die Seite kann nicht angezeigt werden. Eine bereits gesendete Zahlung ist davon nicht betroffen.',
  rejectedTitle: 'Diese Anfrage kann nicht beantwortet werden',
  rejectedText: 'Öffnen Sie den Link noch einmal.',
  triesAgain: 'Diese Seite versucht es nach {seconds} Sekunden von selbst noch einmal.',
  tryNow: 'Jetzt noch einmal versuchen',

  walletPay: '{amount} mit {wallet} zahlen',
  walletNameless: 'Ihrer Browser-Wallet',
  walletConfirm: 'Bestätigen Sie in Ihrer Wallet.',
  walletSilent:
    'Ihre Wallet antwortet nicht. Es wurde nichts gesendet. Öffnen Sie sie und versuchen Sie es noch einmal.',
  walletStillSilent:
    'Ihre Wallet hat noch nicht geantwortet. Öffnen Sie sie: Vielleicht wartet die Zahlung dort auf Ihre Bestätigung.',
  walletRefused: 'Sie haben in der Wallet abgelehnt. Es wurde nichts gesendet.',
  walletUnknownNetwork:
    'Ihre Wallet kennt das Netzwerk {network} nicht. Fügen Sie es dort hinzu und versuchen Sie es noch einmal. Es wurde nichts gesendet.',
  walletOtherNetwork:
    'Ihre Wallet ist nicht im Netzwerk {network}. Wählen Sie es dort aus und versuchen Sie es noch einmal. Es wurde nichts gesendet.',
  walletTooLittle: 'In Ihrer Wallet sind {balance}, zu zahlen sind aber {amount}. Es wurde nichts gesendet.',
  walletNoFee: 'In Ihrer Wallet ist kein {coin} für die Gebühr des Netzwerks. Es wurde nichts gesendet.',
  walletFailed:
    'Ihre Wallet meldet einen Fehler. Es wurde nichts gesendet. Sie können auch an die Adresse unten senden.',
  walletUnsure:
    'Ihre Wallet meldet einen Fehler. Prüfen Sie dort, ob die Zahlung gesendet wurde, bevor Sie es noch einmal versuchen.',
  walletChanged: 'Was zu zahlen ist, hat sich inzwischen geändert. Es wurde nichts gesendet.',
  walletSent: 'Gesendet. Die Zahlung erscheint gleich auf dieser Seite. Zahlen Sie nicht noch einmal.',
  walletReverted: 'Die Transaktion ist fehlgeschlagen. Es wurde nichts gezahlt. Sie können es noch einmal versuchen.',
}
