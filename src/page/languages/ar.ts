import type { Texts } from './en.js'

export const ar: Texts = {
  titlePayment: 'الدفع',
  titlePaid: 'تم الدفع',
  titleClosed: 'لم يعد قابلاً للدفع',

  sandbox: 'بيئة تجريبية: لا شيء هنا مالٌ حقيقي',
  testNetwork: 'شبكة اختبار',
  nativeCoin: 'عملة الشبكة',
  ofAmount: 'من أصل {amount}',

  nothingSeen: 'لم تُرصد أي دفعة بعد',
  partlySeen: 'رُصد {seen}، ويتبقى إرسال {missing}',
  partlyPending: 'لم تؤكد الشبكة كل شيء بعد.',
  allSeen: 'رُصد {seen}، ولم يتبقَّ شيء لإرساله',
  allPending: 'في انتظار تأكيد الشبكة.',
  excessSeen: 'هذا أكثر من المطلوب بمقدار {excess}.',
  paid: 'تم الدفع. لم يتبقَّ شيء مستحق.',
  overpaidReceived: 'تم الدفع. استُلم {excess} زيادةً على المطلوب.',
  overpaidSeen: 'تم الدفع. رُصد {excess} زيادةً على المطلوب.',
  askAboutExcess: 'تواصل مع التاجر بشأن الفرق.',
  closed: 'لم تعد هذه الفاتورة قابلة للدفع.',
  closedUnpaid: 'لم يُستلم شيء. تواصل مع التاجر إذا كنت لا تزال ترغب في الدفع.',
  closedReceived: 'استُلم {received}.',
  closedPending: 'رُصد {pending} وهو في انتظار التأكيد.',
  closedAsk: 'لا ترسل المزيد، وتواصل مع التاجر بشأن ذلك.',

  network: 'الشبكة',
  sendToAddress: 'أرسل {amount} إلى هذا العنوان',
  sendOnly: 'أرسل {coin} فقط، وعلى شبكة {network} فقط. أي شيء آخر لا يُحتسب لهذه الفاتورة.',
  differentCoins:
    '{coins} عملتان مختلفتان بقيمتين مختلفتين. تطلب هذه الفاتورة العدد نفسه من أيٍّ منهما: إن لم تكن متأكداً فاسأل التاجر عن المقصودة.',
  payBefore: 'ادفع قبل {time}.',
  unknownNetwork: 'الشبكة غير معروفة بعد',
  unknownAddress: 'عنوان هذه المحفظة غير معروف بعد. عُد بعد قليل.',
  qrCode: 'رمز QR للعنوان',
  openInWallet: 'الفتح في محفظة',
  tokenContract: 'عقد رمز {coin} على شبكة {network}',

  copyAddress: 'نسخ العنوان',
  copyAmount: 'نسخ المبلغ',
  copied: 'تم النسخ',
  timeLeft: 'الوقت المتبقي: {time}',

  refreshNow: 'تحديث الآن',
  language: 'اللغة',

  backTo: 'العودة إلى {name}',
  contact: 'للتواصل: {contact}',

  notFoundTitle: 'الفاتورة غير موجودة',
  notFoundText: 'لا توجد فاتورة على هذا العنوان. تحقق من الرابط، أو اطلب رابطاً جديداً من التاجر.',
  tooManyTitle: 'طلبات كثيرة جداً',
  tooManyText: 'طلبت شبكتك صفحات كثيرة جداً. لا تتأثر أي دفعة أرسلتها.',
  busyTitle: 'هذه الصفحة مشغولة',
  busyText: 'لا يمكن عرض الصفحة حالياً. لا تتأثر أي دفعة أرسلتها.',
  defectTitle: 'حدث خطأ ما',
  defectText: 'لا يمكن عرض الصفحة. لا تتأثر أي دفعة أرسلتها.',
  rejectedTitle: 'لا يمكن الرد على هذا الطلب',
  rejectedText: 'افتح رابط الفاتورة مرة أخرى.',
  triesAgain: 'تعيد هذه الصفحة المحاولة تلقائياً بعد {seconds} ثانية.',
  tryNow: 'أعد المحاولة الآن',
}
