import type { Texts } from './en.js'

export const ja: Texts = {
  titlePayment: 'お支払い',
  titlePaid: '支払い済み',
  titleClosed: 'お支払いいただけません',

  sandbox: 'サンドボックス：ここでは本物のお金は使われません',
  testNetwork: 'テストネットワーク',
  nativeCoin: 'ネットワークの通貨',
  amountDue: 'お支払い金額',
  invoiceAmount: '請求金額',
  ofAmount: '合計 {amount}',

  nothingSeen: '入金はまだ検出されていません',
  partlySeen: '{seen} を検出しました。あと {missing} 必要です',
  partlyPending: 'ネットワークがまだすべてを承認していません。',
  allSeen: '{seen} を検出しました。追加の送金は不要です',
  allPending: 'ネットワークの承認を待っています。このページを閉じてもかまいません。',
  excessSeen: '{excess} 多くなっています。',
  paid: '支払い済みです。これ以上のお支払いは不要です。',
  overpaidReceived: '支払い済みです。{excess} 多く受け取りました。',
  overpaidSeen: '支払い済みです。{excess} 多く検出しました。',
  askAboutExcess: '差額については販売者にお問い合わせください。',
  closed: 'この請求書はもうお支払いいただけません。',
  closedExpired: 'お支払い期限が過ぎました。',
  closedUnpaid: '入金はありませんでした。お支払いを希望される場合は販売者にお問い合わせください。',
  closedReceived: '{received} を受け取りました。',
  closedPending: '{pending} を検出し、承認を待っています。',
  closedAsk: 'これ以上送金せず、販売者にお問い合わせください。',
  closedWatching: 'まだ届いていない送金がある場合は、このページに表示されます。',

  network: 'ネットワーク',
  sendToAddress: 'このアドレスに {amount} を送金してください',
  sendOnly: '{network} で {coin} だけを送金してください。それ以外の送金は失われるおそれがあります。',
  tokenAlias: '取引所やウォレットでは {coin} が USDT と表示されることがあります。下のトークンコントラクトが基準です。',
  fullAmount:
    'このアドレスに {amount} の全額が届く必要があります。取引所が入力した数量から手数料を差し引く場合は、その分を多めに入力してください。',
  feeCoin: 'ご自身のウォレットから送る場合は、ネットワーク手数料として少量の {coin} も必要です。',
  confirmationTakes: 'ネットワークの承認にはおよそ {time}かかります。',
  strayArrived:
    '{network} で {sum} が届きました。この請求書は {coin} での支払いを求めているため、対象になりません。販売者にお問い合わせください。',
  differentCoins:
    '{coins} は価値の異なる別の通貨です。この請求書はどの通貨でも同じ数量を求めています。不明な場合は、どの通貨のことか販売者にお問い合わせください。',
  payBefore: '{time} までにお支払いください。',
  lastCall:
    'これ以上送金しないでください。期限が迫っているため、間に合わないおそれがあります。お支払いを希望される場合は販売者にお問い合わせください。',
  unknownNetwork: 'ネットワークはまだ不明です',
  unknownAddress: 'このウォレットのアドレスはまだ不明です。しばらくしてからもう一度ご覧ください。',
  qrCode: 'アドレスの QR コード',
  openInWallet: 'ウォレットで開く',
  tokenContract: '{network} の {coin} トークンコントラクト',

  transactions: '検出された取引',
  confirmed: '承認済み',
  confirmationsOf: '承認数 {count}（必要数 {needed}）',
  confirmationsSoFar: '現在の承認数：{count}',
  unconfirmed: '承認待ち',
  moreTransactions: '最新の {count} 件です。ほかにもあります。',
  explorerTab: '（ブロックエクスプローラー、新しいタブ）',

  copyAddress: 'アドレスをコピー',
  copyAmount: '金額をコピー',
  copied: 'コピーしました',
  timeLeft: '残り時間：{time}',

  refreshNow: '今すぐ更新',
  connectionLost:
    '接続が切れています。表示が最新でない可能性があります。ページは再接続を続けています。送金済みのお支払いには影響ありません。',
  language: '言語',

  backTo: '{name} に戻る',
  backToShop: 'ショップに戻る',
  contact: '連絡先：{contact}',

  receipt: 'お支払いの控え',
  printReceipt: '控えを印刷',
  printHint: 'このページを印刷すると控えになります。',
  paidTo: '支払先',
  contactLabel: '連絡先',
  invoiceNumber: '請求書番号',
  orderNumber: '注文番号',
  paidOn: '支払日時',
  amountReceived: '受領額',

  notFoundTitle: '請求書が見つかりません',
  notFoundText: 'このアドレスに請求書はありません。リンクを確認するか、販売者に新しいリンクを依頼してください。',
  tooManyTitle: 'リクエストが多すぎます',
  tooManyText: 'お使いのネットワークからのページ要求が多すぎます。送金済みのお支払いには影響ありません。',
  busyTitle: 'ページが混み合っています',
  busyText: '現在ページを表示できません。送金済みのお支払いには影響ありません。',
  defectTitle: '問題が発生しました',
  defectText: 'ページを表示できません。送金済みのお支払いには影響ありません。',
  rejectedTitle: 'このリクエストにはお答えできません',
  rejectedText: '請求書のリンクをもう一度開いてください。',
  triesAgain: 'このページは {seconds} 秒後に自動で再試行します。',
  tryNow: '今すぐ再試行',

  walletPay: '{wallet} で {amount} を支払う',
  walletNameless: 'ブラウザのウォレット',
  walletConfirm: 'ウォレットで確認してください。',
  walletSilent: 'ウォレットが応答しません。何も送金されていません。ウォレットを開いて、もう一度お試しください。',
  walletStillSilent:
    'ウォレットがまだ応答していません。ウォレットを開いてください。支払いが確認を待っている可能性があります。',
  walletRefused: 'ウォレットで拒否されました。何も送金されていません。',
  walletUnknownNetwork:
    'ウォレットに {network} ネットワークが登録されていません。追加してから、もう一度お試しください。何も送金されていません。',
  walletOtherNetwork:
    'ウォレットが {network} ネットワークに接続されていません。切り替えてから、もう一度お試しください。何も送金されていません。',
  walletTooLittle: 'ウォレットの残高は {balance} ですが、お支払い額は {amount} です。何も送金されていません。',
  walletNoFee: 'ウォレットにネットワーク手数料用の {coin} がありません。何も送金されていません。',
  walletFailed: 'ウォレットがエラーを報告しました。何も送金されていません。下のアドレスに送金することもできます。',
  walletUnsure:
    'ウォレットがエラーを報告しました。もう一度試す前に、送金されたかどうかをウォレットで確認してください。',
  walletChanged: 'その間に請求書の内容が変わりました。何も送金されていません。',
  walletSent: '送金しました。お支払いはこのページに表示されます。もう一度支払わないでください。',
  walletReverted: '取引は失敗しました。支払いは行われていません。もう一度お試しいただけます。',
}
