import type { Texts } from './en.js'

export const ja: Texts = {
  titlePayment: 'お支払い',
  titlePaid: '支払い済み',
  titleClosed: 'お支払いいただけません',

  sandbox: 'サンドボックス：ここにあるものはすべて本物のお金ではありません',
  testNetwork: 'テストネットワーク',
  nativeCoin: 'ネットワークの通貨',
  ofAmount: '合計 {amount}',

  nothingSeen: '入金はまだ検出されていません',
  partlySeen: '{seen} を検出しました。あと {missing} 必要です',
  partlyPending: 'ネットワークがまだすべてを承認していません。',
  allSeen: '{seen} を検出しました。追加の送金は不要です',
  allPending: 'ネットワークの承認を待っています。',
  excessSeen: '{excess} 多くなっています。',
  paid: '支払い済みです。これ以上のお支払いは不要です。',
  overpaidReceived: '支払い済みです。{excess} 多く受け取りました。',
  overpaidSeen: '支払い済みです。{excess} 多く検出しました。',
  askAboutExcess: '差額については販売者にお問い合わせください。',
  closed: 'この請求書はもうお支払いいただけません。',
  closedUnpaid: '入金はありませんでした。お支払いを希望される場合は販売者にお問い合わせください。',
  closedReceived: '{received} を受け取りました。',
  closedPending: '{pending} を検出し、承認を待っています。',
  closedAsk: 'これ以上送金せず、販売者にお問い合わせください。',

  network: 'ネットワーク',
  sendToAddress: 'このアドレスに {amount} を送金してください',
  sendOnly: '{network} で {coin} だけを送金してください。それ以外はこの請求書の支払いになりません。',
  differentCoins:
    '{coins} は価値の異なる別の通貨です。この請求書はどちらでも同じ数量を求めています。不明な場合は、どちらのことか販売者にお問い合わせください。',
  payBefore: '{time} までにお支払いください。',
  unknownNetwork: 'ネットワークはまだ不明です',
  unknownAddress: 'このウォレットのアドレスはまだ不明です。しばらくしてからもう一度ご覧ください。',
  qrCode: 'アドレスの QR コード',
  openInWallet: 'ウォレットで開く',
  tokenContract: '{network} の {coin} トークンコントラクト',

  copyAddress: 'アドレスをコピー',
  copyAmount: '金額をコピー',
  copied: 'コピーしました',
  timeLeft: '残り時間：{time}',

  refreshNow: '今すぐ更新',
  language: '言語',

  backTo: '{name} に戻る',
  contact: '連絡先：{contact}',

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
}
