import type { Texts } from './en.js'

export const hi: Texts = {
  titlePayment: 'भुगतान',
  titlePaid: 'भुगतान हो गया',
  titleClosed: 'अब भुगतान नहीं हो सकता',

  sandbox: 'परीक्षण परिवेश: यहाँ कुछ भी असली पैसा नहीं है',
  testNetwork: 'परीक्षण नेटवर्क',
  nativeCoin: 'नेटवर्क का कॉइन',
  ofAmount: 'कुल {amount} में से',

  nothingSeen: 'अभी तक कोई भुगतान नहीं दिखा',
  partlySeen: '{seen} दिखा, {missing} और भेजना है',
  partlyPending: 'नेटवर्क ने अभी सब कुछ पुष्ट नहीं किया है।',
  allSeen: '{seen} दिखा, और कुछ भेजना नहीं है',
  allPending: 'नेटवर्क की पुष्टि की प्रतीक्षा है।',
  excessSeen: 'यह {excess} ज़्यादा है।',
  paid: 'भुगतान हो गया। अब कुछ बाकी नहीं है।',
  overpaidReceived: 'भुगतान हो गया। {excess} ज़्यादा मिला।',
  overpaidSeen: 'भुगतान हो गया। {excess} ज़्यादा दिखा।',
  askAboutExcess: 'अंतर के बारे में विक्रेता से संपर्क करें।',
  closed: 'इस इनवॉइस का भुगतान अब नहीं हो सकता।',
  closedUnpaid: 'कुछ नहीं मिला। अगर आप अब भी भुगतान करना चाहते हैं, तो विक्रेता से संपर्क करें।',
  closedReceived: '{received} मिला।',
  closedPending: '{pending} दिखा और पुष्टि की प्रतीक्षा में है।',
  closedAsk: 'और कुछ न भेजें, और इस बारे में विक्रेता से संपर्क करें।',

  network: 'नेटवर्क',
  sendToAddress: 'इस पते पर {amount} भेजें',
  sendOnly: 'केवल {coin} भेजें, और केवल {network} नेटवर्क पर। बाकी कुछ भी इस इनवॉइस में नहीं गिना जाएगा।',
  differentCoins:
    '{coins} अलग-अलग मूल्य वाले अलग-अलग कॉइन हैं। यह इनवॉइस दोनों में से किसी की भी समान संख्या माँगता है: अगर आप पक्का नहीं जानते, तो विक्रेता से पूछें कि कौन-सा चाहिए।',
  payBefore: '{time} से पहले भुगतान करें।',
  unknownNetwork: 'नेटवर्क अभी ज्ञात नहीं है',
  unknownAddress: 'इस वॉलेट का पता अभी ज्ञात नहीं है। थोड़ी देर में फिर आएँ।',
  qrCode: 'पते का QR कोड',
  openInWallet: 'वॉलेट में खोलें',
  tokenContract: '{network} पर {coin} का टोकन कॉन्ट्रैक्ट',

  copyAddress: 'पता कॉपी करें',
  copyAmount: 'राशि कॉपी करें',
  copied: 'कॉपी हो गया',
  timeLeft: 'बचा हुआ समय: {time}',

  refreshNow: 'अभी ताज़ा करें',
  language: 'भाषा',

  backTo: '{name} पर वापस जाएँ',
  contact: 'संपर्क: {contact}',

  notFoundTitle: 'इनवॉइस नहीं मिला',
  notFoundText: 'इस पते पर कोई इनवॉइस नहीं है। लिंक जाँचें, या विक्रेता से नया लिंक माँगें।',
  tooManyTitle: 'बहुत ज़्यादा अनुरोध',
  tooManyText: 'आपके नेटवर्क से बहुत ज़्यादा पेज माँगे गए। आपके भेजे हुए भुगतान पर कोई असर नहीं पड़ता।',
  busyTitle: 'यह पेज व्यस्त है',
  busyText: 'पेज अभी नहीं दिखाया जा सकता। आपके भेजे हुए भुगतान पर कोई असर नहीं पड़ता।',
  defectTitle: 'कुछ गड़बड़ हो गई',
  defectText: 'पेज नहीं दिखाया जा सकता। आपके भेजे हुए भुगतान पर कोई असर नहीं पड़ता।',
  rejectedTitle: 'इस अनुरोध का उत्तर नहीं दिया जा सकता',
  rejectedText: 'इनवॉइस का लिंक फिर से खोलें।',
  triesAgain: 'यह पेज {seconds} सेकंड बाद अपने-आप फिर कोशिश करता है।',
  tryNow: 'अभी फिर कोशिश करें',
}
