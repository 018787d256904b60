import type { Texts } from './en.js'

export const fr: Texts = {
  titlePayment: 'Paiement',
  titlePaid: 'Payé',
  titleClosed: 'N’est plus payable',

  sandbox: 'Environnement de test : rien ici n’est de l’argent réel',
  testNetwork: 'Réseau de test',
  nativeCoin: 'monnaie du réseau',
  ofAmount: 'sur {amount}',

  nothingSeen: 'Aucun paiement détecté pour le moment',
  partlySeen: '{seen} détectés, il reste {missing} à envoyer',
  partlyPending: 'Le réseau n’a pas encore tout confirmé.',
  allSeen: '{seen} détectés, il ne reste rien à envoyer',
  allPending: 'En attente de confirmation par le réseau.',
  excessSeen: 'C’est {excess} de trop.',
  paid: 'Payé. Il ne reste rien à payer.',
  overpaidReceived: 'Payé. {excess} reçus en trop.',
  overpaidSeen: 'Payé. {excess} détectés en trop.',
  askAboutExcess: 'Contactez le marchand au sujet de la différence.',
  closed: 'Cette facture n’est plus payable.',
  closedUnpaid: 'Rien n’a été reçu. Contactez le marchand si vous souhaitez encore payer.',
  closedReceived: '{received} reçus.',
  closedPending: '{pending} détectés, en attente de confirmation.',
  closedAsk: 'N’envoyez plus rien et contactez le marchand à ce sujet.',

  network: 'Réseau',
  sendToAddress: 'Envoyez {amount} à cette adresse',
  sendOnly:
    'Envoyez uniquement {coin}, et uniquement sur le réseau {network}. Tout autre envoi ne compte pas pour cette facture.',
  differentCoins:
    '{coins} sont des monnaies différentes, de valeurs différentes. Cette facture demande le même nombre de l’une ou de l’autre : en cas de doute, demandez au marchand laquelle est attendue.',
  payBefore: 'Payez avant le {time}.',
  unknownNetwork: 'Réseau pas encore connu',
  unknownAddress: 'L’adresse de ce portefeuille n’est pas encore connue. Revenez dans un instant.',
  qrCode: 'Code QR de l’adresse',
  openInWallet: 'Ouvrir dans un portefeuille',
  tokenContract: 'Contrat du jeton {coin} sur {network}',

  transactions: 'Transactions détectées',
  confirmed: 'Confirmée',
  confirmationsOf: '{count} confirmations sur {needed}',
  confirmationsSoFar: 'Confirmations à ce stade : {count}',
  unconfirmed: 'En attente de confirmation',
  moreTransactions: 'Ce sont les {count} plus récentes ; il y en a d’autres.',
  explorerTab: '(explorateur de blocs, dans un nouvel onglet)',

  copyAddress: 'Copier l’adresse',
  copyAmount: 'Copier le montant',
  copied: 'Copié',
  timeLeft: 'Temps restant : {time}',

  refreshNow: 'Actualiser',
  language: 'Langue',

  backTo: 'Retour vers {name}',
  contact: 'Contact : {contact}',

  notFoundTitle: 'Facture introuvable',
  notFoundText: 'Il n’y a pas de facture à cette adresse. Vérifiez le lien ou demandez-en un nouveau au marchand.',
  tooManyTitle: 'Trop de requêtes',
  tooManyText: 'Votre réseau a demandé trop de pages. Un paiement déjà envoyé n’est pas affecté.',
  busyTitle: 'Cette page est surchargée',
  busyText: 'La page ne peut pas être affichée pour le moment. Un paiement déjà envoyé n’est pas affecté.',
  defectTitle: 'Une erreur s’est produite',
  defectText: 'La page ne peut pas être affichée. Un paiement déjà envoyé n’est pas affecté.',
  rejectedTitle: 'Impossible de répondre à cette requête',
  rejectedText: 'Ouvrez de nouveau le lien de la facture.',
  triesAgain: 'Cette page réessaie d’elle-même après {seconds} secondes.',
  tryNow: 'Réessayer maintenant',
}
