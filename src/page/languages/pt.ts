import type { Texts } from './en.js'

export const pt: Texts = {
  titlePayment: 'Pagamento',
  titlePaid: 'Pago',
  titleClosed: 'Não pode mais ser paga',

  sandbox: 'Ambiente de testes: nada aqui é dinheiro de verdade',
  testNetwork: 'Rede de teste',
  nativeCoin: 'moeda da rede',
  ofAmount: 'de {amount}',

  nothingSeen: 'Nenhum pagamento detectado ainda',
  partlySeen: '{seen} detectados, faltam {missing}',
  partlyPending: 'A rede ainda não confirmou tudo.',
  allSeen: '{seen} detectados, não falta enviar nada',
  allPending: 'Aguardando a confirmação da rede.',
  excessSeen: 'São {excess} a mais.',
  paid: 'Pago. Não há mais nada a pagar.',
  overpaidReceived: 'Pago. Foram recebidos {excess} a mais.',
  overpaidSeen: 'Pago. Foram detectados {excess} a mais.',
  askAboutExcess: 'Fale com o lojista sobre a diferença.',
  closed: 'Esta fatura não pode mais ser paga.',
  closedUnpaid: 'Nada foi recebido. Fale com o lojista se ainda quiser pagar.',
  closedReceived: 'Foram recebidos {received}.',
  closedPending: 'Foram detectados {pending}, que aguardam confirmação.',
  closedAsk: 'Não envie mais nada e fale com o lojista.',

  network: 'Rede',
  sendToAddress: 'Envie {amount} para este endereço',
  sendOnly: 'Envie somente {coin} e somente pela rede {network}. Qualquer outro envio não conta para esta fatura.',
  differentCoins:
    '{coins} são moedas diferentes, com valores diferentes. Esta fatura pede a mesma quantidade de qualquer uma delas: em caso de dúvida, pergunte ao lojista qual é a certa.',
  payBefore: 'Pague antes de {time}.',
  unknownNetwork: 'Rede ainda desconhecida',
  unknownAddress: 'O endereço desta carteira ainda não é conhecido. Volte daqui a pouco.',
  qrCode: 'Código QR do endereço',
  openInWallet: 'Abrir em uma carteira',
  tokenContract: 'Contrato do token {coin} em {network}',

  copyAddress: 'Copiar endereço',
  copyAmount: 'Copiar valor',
  copied: 'Copiado',
  timeLeft: 'Tempo restante: {time}',

  refreshNow: 'Atualizar agora',
  language: 'Idioma',

  backTo: 'Voltar para {name}',
  contact: 'Contato: {contact}',

  notFoundTitle: 'Fatura não encontrada',
  notFoundText: 'Não há nenhuma fatura neste endereço. Confira o link ou peça outro ao lojista.',
  tooManyTitle: 'Solicitações demais',
  tooManyText: 'Sua rede pediu páginas demais. Um pagamento que você já enviou não é afetado.',
  busyTitle: 'Esta página está sobrecarregada',
  busyText: 'A página não pode ser exibida no momento. Um pagamento que você já enviou não é afetado.',
  defectTitle: 'Algo deu errado',
  defectText: 'A página não pode ser exibida. Um pagamento que você já enviou não é afetado.',
  rejectedTitle: 'Não é possível responder a esta solicitação',
  rejectedText: 'Abra o link da fatura novamente.',
  triesAgain: 'Esta página tenta de novo sozinha depois de {seconds} segundos.',
  tryNow: 'Tentar agora',
}
