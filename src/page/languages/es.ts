import type { Texts } from './en.js'

export const es: Texts = {
  titlePayment: 'Pago',
  titlePaid: 'Pagado',
  titleClosed: 'Ya no se puede pagar',

  sandbox: 'Entorno de pruebas: aquí nada es dinero real',
  testNetwork: 'Red de prueba',
  nativeCoin: 'moneda de la red',
  amountDue: 'Importe a pagar',
  invoiceAmount: 'Importe de la factura',
  ofAmount: 'de {amount}',

  nothingSeen: 'Todavía no se ha detectado ningún pago',
  partlySeen: 'Detectados {seen}; falta enviar {missing}',
  partlyPending: 'La red aún no lo ha confirmado todo.',
  allSeen: 'Detectados {seen}; no falta nada por enviar',
  allPending: 'A la espera de que la red lo confirme. Puede cerrar esta página.',
  excessSeen: 'Son {excess} de más.',
  paid: 'Pagado. No queda nada pendiente.',
  overpaidReceived: 'Pagado. Se recibieron {excess} de más.',
  overpaidSeen: 'Pagado. Se detectaron {excess} de más.',
  askAboutExcess: 'Consulte al comercio sobre la diferencia.',
  closed: 'Esta factura ya no se puede pagar.',
  closedExpired: 'El plazo de pago ha terminado.',
  closedUnpaid: 'No se recibió nada. Consulte al comercio si todavía quiere pagar.',
  closedReceived: 'Se recibieron {received}.',
  closedPending: 'Se detectaron {pending}, a la espera de confirmación.',
  closedAsk: 'No envíe nada más y consulte al comercio.',
  closedWatching: 'Si hay algo todavía en camino, aparecerá en esta página.',

  network: 'Red',
  sendToAddress: 'Envíe {amount} a esta dirección',
  sendOnly: 'Envíe solo {coin} y solo por la red {network}. Cualquier otro envío puede perderse.',
  tokenAlias:
    'Las plataformas de intercambio y las billeteras suelen mostrar USDT en lugar de {coin}. Lo que cuenta es el contrato del token que figura abajo.',
  fullAmount:
    'La dirección debe recibir {amount} en su totalidad. Si su plataforma de intercambio descuenta la comisión del importe que indica, súmela a ese importe.',
  feeCoin: 'Una billetera propia necesita además algo de {coin} para la comisión de la red.',
  confirmationTakes: 'La red tarda alrededor de {time} en confirmar un pago.',
  strayArrived:
    'Han llegado {sum} por la red {network}. Esta factura pide {coin}, así que no cuentan. Consulte al comercio.',
  differentCoins:
    '{coins} son monedas distintas con valores distintos. Esta factura pide la misma cantidad de cualquiera de ellas: si no está seguro, pregunte al comercio a cuál se refiere.',
  payBefore: 'Pague antes del {time}.',
  lastCall:
    'No envíe nada más. El plazo está a punto de terminar y un pago podría llegar demasiado tarde. Consulte al comercio si todavía quiere pagar.',
  unknownNetwork: 'Red aún desconocida',
  unknownAddress: 'La dirección de esta billetera aún no se conoce. Vuelva en un momento.',
  qrCode: 'Código QR de la dirección',
  openInWallet: 'Abrir en una billetera',
  tokenContract: 'Contrato del token {coin} en {network}',

  payWith: 'Pagar con',
  price: 'Precio',
  rate: 'Tipo de cambio',
  rateUntil: 'Pague antes del {time}. El tipo de cambio vale hasta entonces.',
  rateKept: 'El tipo de cambio se mantiene hasta que se pague el resto.',
  orderClosed: 'Este pedido ya no se puede pagar.',
  orderExpired: 'No se recibió nada. Vuelva a hacer el pedido en la tienda para obtener un precio nuevo.',
  orderAgain: 'Volver a pedir',
  orderAgainAt: 'Volver a pedir en {name}',
  orderStray:
    'Han llegado {sum} por la red {network}. Este pedido pide {coin}, así que no cuentan. Consulte al comercio.',
  orderId: 'Identificador del pedido',

  transactions: 'Transacciones detectadas',
  confirmed: 'Confirmada',
  confirmationsOf: '{count} de {needed} confirmaciones',
  confirmationsSoFar: 'Confirmaciones hasta ahora: {count}',
  unconfirmed: 'A la espera de confirmación',
  moreTransactions: 'Estas son las {count} más recientes; hay más.',
  explorerTab: '(explorador de bloques, en una pestaña nueva)',

  copyAddress: 'Copiar la dirección',
  copyAmount: 'Copiar el importe',
  copied: 'Copiado',
  timeLeft: 'Tiempo restante: {time}',

  refreshNow: 'Actualizar ahora',
  connectionLost:
    'Sin conexión. Lo que ve puede no estar al día; la página lo sigue intentando. Un pago que ya haya enviado no se ve afectado.',
  language: 'Idioma',

  backTo: 'Volver a {name}',
  backToShop: 'Volver a la tienda',
  contact: 'Contacto: {contact}',

  receipt: 'Recibo',
  printReceipt: 'Imprimir el recibo',
  printHint: 'Imprima esta página para obtener un recibo.',
  paidTo: 'Pagado a',
  contactLabel: 'Contacto',
  invoiceNumber: 'Número de factura',
  orderNumber: 'Número de pedido',
  paidOn: 'Pagado el',
  amountReceived: 'Importe recibido',

  notFoundTitle: 'Factura no encontrada',
  notFoundText: 'No hay ninguna factura en esta dirección. Compruebe el enlace o pida otro al comercio.',
  orderNotFoundTitle: 'Pedido no encontrado',
  orderNotFoundText: 'No hay ningún pedido en esta dirección. Compruebe el enlace o pida otro al comercio.',
  tooManyTitle: 'Demasiadas solicitudes',
  tooManyText: 'Su red ha pedido demasiadas páginas. Un pago que ya haya enviado no se ve afectado.',
  busyTitle: 'Esta página está saturada',
  busyText: 'La página no se puede mostrar en este momento. Un pago que ya haya enviado no se ve afectado.',
  defectTitle: 'Algo ha fallado',
  defectText: 'La página no se puede mostrar. Un pago que ya haya enviado no se ve afectado.',
  rejectedTitle: 'No se puede responder a esta solicitud',
  rejectedText: 'Abra de nuevo el enlace.',
  triesAgain: 'Esta página vuelve a intentarlo por sí sola después de {seconds} segundos.',
  tryNow: 'Intentarlo ahora',

  walletPay: 'Pagar {amount} con {wallet}',
  walletNameless: 'la billetera del navegador',
  walletConfirm: 'Confirme en su billetera.',
  walletSilent: 'Su billetera no responde. No se ha enviado nada. Ábrala e inténtelo de nuevo.',
  walletStillSilent: 'Su billetera aún no ha respondido. Ábrala: puede que el pago espere allí su confirmación.',
  walletRefused: 'Ha rechazado la operación en la billetera. No se ha enviado nada.',
  walletUnknownNetwork:
    'Su billetera no conoce la red {network}. Añádala allí e inténtelo de nuevo. No se ha enviado nada.',
  walletOtherNetwork:
    'Su billetera no está en la red {network}. Elíjala allí e inténtelo de nuevo. No se ha enviado nada.',
  walletTooLittle: 'Su billetera tiene {balance}, pero hay que pagar {amount}. No se ha enviado nada.',
  walletNoFee: 'Su billetera no tiene {coin} para la comisión de la red. No se ha enviado nada.',
  walletFailed:
    'Su billetera ha comunicado un error. No se ha enviado nada. También puede enviar el importe a la dirección de abajo.',
  walletUnsure:
    'Su billetera ha comunicado un error. Compruebe en ella si el pago se envió antes de intentarlo de nuevo.',
  walletChanged: 'Lo que hay que pagar ha cambiado mientras tanto. No se ha enviado nada.',
  walletSent: 'Enviado. Esta página mostrará el pago. No pague otra vez.',
  walletReverted: 'La transacción ha fallado. No se ha pagado nada. Puede intentarlo de nuevo.',
}
