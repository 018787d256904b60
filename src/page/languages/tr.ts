import type { Texts } from './en.js'

export const tr: Texts = {
  titlePayment: 'Ödeme',
  titlePaid: 'Ödendi',
  titleClosed: 'Artık ödenemez',

  sandbox: 'Deneme ortamı: Buradaki hiçbir şey gerçek para değildir',
  testNetwork: 'Test ağı',
  nativeCoin: 'ağın kendi parası',
  ofAmount: 'toplam {amount}',

  nothingSeen: 'Henüz bir ödeme görülmedi',
  partlySeen: '{seen} görüldü, {missing} daha gönderilmeli',
  partlyPending: 'Ağ henüz hepsini onaylamadı.',
  allSeen: '{seen} görüldü, gönderilecek başka bir şey yok',
  allPending: 'Ağın onayı bekleniyor.',
  excessSeen: 'Bu, {excess} fazla.',
  paid: 'Ödendi. Başka borç yok.',
  overpaidReceived: 'Ödendi. {excess} fazla alındı.',
  overpaidSeen: 'Ödendi. {excess} fazla görüldü.',
  askAboutExcess: 'Fark için satıcıya başvurun.',
  closed: 'Bu fatura artık ödenemez.',
  closedUnpaid: 'Hiçbir şey alınmadı. Hâlâ ödemek istiyorsanız satıcıya başvurun.',
  closedReceived: '{received} alındı.',
  closedPending: '{pending} görüldü ve onay bekliyor.',
  closedAsk: 'Başka bir şey göndermeyin ve satıcıya başvurun.',

  network: 'Ağ',
  sendToAddress: 'Bu adrese {amount} gönderin',
  sendOnly: 'Yalnızca {coin} gönderin ve yalnızca {network} ağını kullanın. Başka gönderimler bu fatura için sayılmaz.',
  differentCoins:
    '{coins} değerleri farklı olan farklı paralardır. Bu fatura her birinden aynı miktarı istiyor: Emin değilseniz hangisinin istendiğini satıcıya sorun.',
  payBefore: 'Son ödeme zamanı: {time}.',
  unknownNetwork: 'Ağ henüz bilinmiyor',
  unknownAddress: 'Bu cüzdanın adresi henüz bilinmiyor. Birazdan yeniden bakın.',
  qrCode: 'Adresin karekodu',
  openInWallet: 'Cüzdanda aç',
  tokenContract: '{network} ağındaki {coin} token sözleşmesi',

  copyAddress: 'Adresi kopyala',
  copyAmount: 'Tutarı kopyala',
  copied: 'Kopyalandı',
  timeLeft: 'Kalan süre: {time}',

  refreshNow: 'Şimdi yenile',
  language: 'Dil',

  backTo: '{name} sayfasına dön',
  contact: 'İletişim: {contact}',

  notFoundTitle: 'Fatura bulunamadı',
  notFoundText: 'Bu adreste bir fatura yok. Bağlantıyı kontrol edin veya satıcıdan yenisini isteyin.',
  tooManyTitle: 'Çok fazla istek',
  tooManyText: 'Ağınızdan çok fazla sayfa istendi. Gönderdiğiniz bir ödeme bundan etkilenmez.',
  busyTitle: 'Bu sayfa şu anda meşgul',
  busyText: 'Sayfa şu anda gösterilemiyor. Gönderdiğiniz bir ödeme bundan etkilenmez.',
  defectTitle: 'Bir şeyler ters gitti',
  defectText: 'Sayfa gösterilemiyor. Gönderdiğiniz bir ödeme bundan etkilenmez.',
  rejectedTitle: 'Bu istek yanıtlanamıyor',
  rejectedText: 'Faturanın bağlantısını yeniden açın.',
  triesAgain: 'Bu sayfa {seconds} saniye sonra kendiliğinden yeniden dener.',
  tryNow: 'Şimdi yeniden dene',
}
