import type { Texts } from './en.js'

export const zh: Texts = {
  titlePayment: '付款',
  titlePaid: '已付款',
  titleClosed: '已不可付款',

  sandbox: '沙盒环境：这里的一切都不是真钱',
  testNetwork: '测试网络',
  nativeCoin: '网络原生币',
  ofAmount: '共 {amount}',

  nothingSeen: '尚未检测到付款',
  partlySeen: '已检测到 {seen}，还需发送 {missing}',
  partlyPending: '网络尚未全部确认。',
  allSeen: '已检测到 {seen}，无需再发送',
  allPending: '正在等待网络确认。',
  excessSeen: '多付了 {excess}。',
  paid: '已付款，无需再付。',
  overpaidReceived: '已付款，多收到 {excess}。',
  overpaidSeen: '已付款，多检测到 {excess}。',
  askAboutExcess: '有关差额，请联系商家。',
  closed: '此账单已不可付款。',
  closedUnpaid: '未收到任何款项。如果仍想付款，请联系商家。',
  closedReceived: '已收到 {received}。',
  closedPending: '已检测到 {pending}，正在等待确认。',
  closedAsk: '请勿再发送任何款项，并就此联系商家。',

  network: '网络',
  sendToAddress: '向此地址发送 {amount}',
  sendOnly: '只能发送 {coin}，并且只能通过 {network} 网络。其他任何款项都不计入此账单。',
  differentCoins:
    '{coins} 是价值不同的不同币种。此账单对其中任何一种要求的数量都相同：如不确定，请询问商家指的是哪一种。',
  payBefore: '请在 {time} 之前付款。',
  unknownNetwork: '网络尚未知晓',
  unknownAddress: '此钱包的地址尚未知晓，请稍后再来。',
  qrCode: '地址的二维码',
  openInWallet: '在钱包中打开',
  tokenContract: '{network} 网络上的 {coin} 代币合约',

  copyAddress: '复制地址',
  copyAmount: '复制金额',
  copied: '已复制',
  timeLeft: '剩余时间：{time}',

  refreshNow: '立即刷新',
  language: '语言',

  backTo: '返回 {name}',
  contact: '联系方式：{contact}',

  notFoundTitle: '未找到账单',
  notFoundText: '此地址没有账单。请检查链接，或向商家索取新的链接。',
  tooManyTitle: '请求过多',
  tooManyText: '您的网络请求了过多页面。您已发送的付款不受影响。',
  busyTitle: '页面繁忙',
  busyText: '目前无法显示此页面。您已发送的付款不受影响。',
  defectTitle: '出了点问题',
  defectText: '无法显示此页面。您已发送的付款不受影响。',
  rejectedTitle: '无法处理此请求',
  rejectedText: '请重新打开账单链接。',
  triesAgain: '此页面将在 {seconds} 秒后自动重试。',
  tryNow: '立即重试',
}
