import type { Texts } from './en.js'

export const fr: Texts = {
  titlePayment: 'Paiement',
  titlePaid: 'Payé',
  titleClosed: 'N’est plus payable',

  sandbox: 'Environnement de test : rien ici n’est de l’argent réel',
  testNetwork: 'Réseau de test',
  nativeCoin: 'monnaie du réseau',
  amountDue: 'Montant à payer',
  invoiceAmount: 'Montant de la facture',
  ofAmount: 'sur {amount}',

  nothingSeen: 'Aucun paiement détecté pour le moment',
  partlySeen: '{seen} détectés, il reste {missing} à envoyer',
  partlyPending: 'Le réseau n’a pas encore tout confirmé.',
  allSeen: '{seen} détectés, il ne reste rien à envoyer',
  allPending: 'En attente de confirmation par le réseau. Vous pouvez fermer cette page.',
  excessSeen: 'C’est {excess} de trop.',
  paid: 'Payé. Il ne reste rien à payer.',
  overpaidReceived: 'Payé. {excess} reçus en trop.',
  overpaidSeen: 'Payé. {excess} détectés en trop.',
  askAboutExcess: 'Contactez le marchand au sujet de la différence.',
  closed: 'Cette facture n’est plus payable.',
  closedExpired: 'Le délai de paiement est écoulé.',
  closedUnpaid: 'Rien n’a été reçu. Contactez le marchand si vous souhaitez encore payer.',
  closedReceived: '{received} reçus.',
  closedPending: '{pending} détectés, en attente de confirmation.',
  closedAsk: 'N’envoyez plus rien et contactez le marchand à ce sujet.',
  closedWatching: 'Si un envoi est encore en route, cette page l’affichera.',

  network: 'Réseau',
  sendToAddress: 'Envoyez {amount} à cette adresse',
  sendOnly: 'Envoyez uniquement {coin}, et uniquement sur le réseau {network}. Tout autre envoi risque d’être perdu.',
  tokenAlias:
    'Les plateformes d’échange et les portefeuilles affichent souvent USDT au lieu de {coin}. C’est le contrat du jeton ci-dessous qui fait foi.',
  fullAmount:
    'L’adresse doit recevoir {amount} en entier. Si votre plateforme d’échange déduit ses frais du montant saisi, ajoutez-les à ce montant.',
  feeCoin: 'Un portefeuille personnel a aussi besoin d’un peu de {coin} pour les frais du réseau.',
  confirmationTakes: 'Le réseau met environ {time} à confirmer un paiement.',
  strayArrived:
    '{sum} reçus sur {network}. Cette facture demande {coin} : cet envoi ne compte donc pas. Contactez le marchand à ce sujet.',
  differentCoins:
    '{coins} sont des monnaies différentes, de valeurs différentes. Cette facture demande le même nombre quelle que soit la monnaie : en cas de doute, demandez au marchand laquelle est attendue.',
  payBefore: 'Payez avant le {time}.',
  lastCall:
    'N’envoyez plus rien. Le délai est presque écoulé, et un paiement pourrait arriver trop tard. Contactez le marchand si vous souhaitez encore payer.',
  unknownNetwork: 'Réseau pas encore connu',
  unknownAddress: 'L’adresse de ce portefeuille n’est pas encore connue. Revenez dans un instant.',
  qrCode: 'Code QR de l’adresse',
  openInWallet: 'Ouvrir dans un portefeuille',
  tokenContract: 'Contrat du jeton {coin} sur {network}',

  payWith: 'Payer avec',
  price: 'Prix',
  rate: 'Taux',
  rateUntil: 'Payez avant le {time}. Le taux est garanti jusque-là.',
  rateKept: 'Le taux reste le même jusqu’au paiement du reste.',
  orderClosed: 'Cette commande n’est plus payable.',
  orderExpired: 'Rien n’a été reçu. Commandez de nouveau dans la boutique pour obtenir un nouveau prix.',
  orderAgain: 'Commander de nouveau',
  orderAgainAt: 'Commander de nouveau chez {name}',
  orderStray:
    '{sum} reçus sur {network}. Cette commande demande {coin} : cet envoi ne compte donc pas. Contactez le marchand à ce sujet.',
  orderId: 'Identifiant de la commande',

  transactions: 'Transactions détectées',
  confirmed: 'Confirmée',
  confirmationsOf: 'Confirmations : {count} sur {needed}',
  confirmationsSoFar: 'Confirmations à ce stade : {count}',
  unconfirmed: 'En attente de confirmation',
  moreTransactions: 'Ce sont les {count} plus récentes ; il y en a d’autres.',
  explorerTab: '(explorateur de blocs, dans un nouvel onglet)',

  copyAddress: 'Copier l’adresse',
  copyAmount: 'Copier le montant',
  copied: 'Copié',
  timeLeft: 'Temps restant : {time}',

  refreshNow: 'Actualiser',
  connectionLost:
    'Pas de connexion. L’affichage n’est peut-être plus à jour ; la page continue d’essayer. Un paiement déjà envoyé n’est pas affecté.',
  language: 'Langue',

  backTo: 'Retour vers {name}',
  backToShop: 'Retour à la boutique',
  contact: 'Contact : {contact}',

  receipt: 'Reçu de paiement',
  printReceipt: 'Imprimer le reçu',
  printHint: 'Imprimez cette page pour obtenir un reçu.',
  paidTo: 'Bénéficiaire',
  contactLabel: 'Pour toute question',
  invoiceNumber: 'Numéro de facture',
  orderNumber: 'Numéro de commande',
  paidOn: 'Payé le',
  amountReceived: 'Montant reçu',

  notFoundTitle: 'Facture introuvable',
  notFoundText: 'Il n’y a pas de facture à cette adresse. Vérifiez le lien ou demandez-en un nouveau au marchand.',
  orderNotFoundTitle: 'Commande introuvable',
  orderNotFoundText:
    'Il n’y a pas de commande à cette adresse. Vérifiez le lien ou demandez-en un nouveau au marchand.',
  tooManyTitle: 'Trop de requêtes',
  tooManyText: 'Votre réseau a demandé trop de pages. Un paiement déjà envoyé n’est pas affecté.',
  busyTitle: 'Cette page est surchargée',
  busyText: 'La page ne peut pas être affichée pour le moment. Un paiement déjà envoyé n’est pas affecté.',
  defectTitle: 'Une erreur s’est produite',
  defectText: 'La page ne peut pas être affichée. Un paiement déjà envoyé n’est pas affecté.',
  rejectedTitle: 'Impossible de répondre à cette requête',
  rejectedText: 'Ouvrez de nouveau le lien.',
  triesAgain: 'Cette page réessaie d’elle-même après {seconds} secondes.',
  tryNow: 'Réessayer maintenant',

  walletPay: 'Payer {amount} avec {wallet}',
  walletNameless: 'le portefeuille du navigateur',
  walletConfirm: 'Confirmez dans votre portefeuille.',
  walletSilent: 'Votre portefeuille ne répond pas. Rien n’a été envoyé. Ouvrez-le, puis réessayez.',
  walletStillSilent:
    'Votre portefeuille n’a pas encore répondu. Ouvrez-le : le paiement y attend peut-être votre confirmation.',
  walletRefused: 'Vous avez refusé dans le portefeuille. Rien n’a été envoyé.',
  walletUnknownNetwork:
    'Votre portefeuille ne connaît pas le réseau {network}. Ajoutez-le, puis réessayez. Rien n’a été envoyé.',
  walletOtherNetwork:
    'Votre portefeuille n’est pas sur le réseau {network}. Choisissez-le, puis réessayez. Rien n’a été envoyé.',
  walletTooLittle: 'Votre portefeuille contient {balance}, mais {amount} sont à payer. Rien n’a été envoyé.',
  walletNoFee: 'Votre portefeuille ne contient pas de {coin} pour les frais du réseau. Rien n’a été envoyé.',
  walletFailed:
    'Votre portefeuille signale une erreur. Rien n’a été envoyé. Vous pouvez aussi envoyer le montant à l’adresse ci-dessous.',
  walletUnsure: 'Votre portefeuille signale une erreur. Vérifiez-y si le paiement a été envoyé avant de réessayer.',
  walletChanged: 'Ce qui est à payer a changé entre-temps. Rien n’a été envoyé.',
  walletSent: 'Envoyé. Cette page va afficher le paiement. Ne payez pas une seconde fois.',
  walletReverted: 'La transaction a échoué. Rien n’a été payé. Vous pouvez réessayer.',
}
