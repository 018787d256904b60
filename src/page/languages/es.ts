import type { Texts } from './en.js'

export const es: Texts = {
  titlePayment: 'Pago',
  titlePaid: 'Pagado',
  titleClosed: 'Ya no se puede pagar',

  sandbox: 'Entorno de pruebas: aquí nada es dinero real',
  testNetwork: 'Red de prueba',
  nativeCoin: 'moneda de la red',
  ofAmount: 'de {amount}',

  nothingSeen: 'Todavía no se ha detectado ningún pago',
  partlySeen: 'Detectados {seen}; faltan {missing} por enviar',
  partlyPending: 'La red aún no lo ha confirmado todo.',
  allSeen: 'Detectados {seen}; no falta nada por enviar',
  allPending: 'A la espera de que la red lo confirme.',
  excessSeen: 'Son {excess} de más.',
  paid: 'Pagado. No queda nada pendiente.',
  overpaidReceived: 'Pagado. Se recibieron {excess} de más.',
  overpaidSeen: 'Pagado. Se detectaron {excess} de más.',
  askAboutExcess: 'Consulte al comercio sobre la diferencia.',
  closed: 'Esta factura ya no se puede pagar.',
  closedUnpaid: 'No se recibió nada. Consulte al comercio si todavía quiere pagar.',
  closedReceived: 'Se recibieron {received}.',
  closedPending: 'Se detectaron {pending}, a la espera de confirmación.',
  closedAsk: 'No envíe nada más y consulte al comercio.',

  network: 'Red',
  sendToAddress: 'Envíe {amount} a esta dirección',
  sendOnly: 'Envíe solo {coin} y solo por la red {network}. Cualquier otro envío no cuenta para esta factura.',
  differentCoins:
    '{coins} son monedas distintas con valores distintos. Esta factura pide la misma cantidad de cualquiera de ellas: si no está seguro, pregunte al comercio a cuál se refiere.',
  payBefore: 'Pague antes del {time}.',
  unknownNetwork: 'Red aún desconocida',
  unknownAddress: 'La dirección de esta billetera aún no se conoce. Vuelva en un momento.',
  qrCode: 'Código QR de la dirección',
  openInWallet: 'Abrir en una billetera',
  tokenContract: 'Contrato del token {coin} en {network}',

  copyAddress: 'Copiar la dirección',
  copyAmount: 'Copiar el importe',
  copied: 'Copiado',
  timeLeft: 'Tiempo restante: {time}',

  refreshNow: 'Actualizar ahora',
  language: 'Idioma',

  backTo: 'Volver a {name}',
  contact: 'Contacto: {contact}',

  notFoundTitle: 'Factura no encontrada',
  notFoundText: 'No hay ninguna factura en esta dirección. Compruebe el enlace o pida otro al comercio.',
  tooManyTitle: 'Demasiadas solicitudes',
  tooManyText: 'Su red ha pedido demasiadas páginas. Un pago que ya haya enviado no se ve afectado.',
  busyTitle: 'Esta página está saturada',
  busyText: 'La página no se puede mostrar en este momento. Un pago que ya haya enviado no se ve afectado.',
  defectTitle: 'Algo ha fallado',
  defectText: 'La página no se puede mostrar. Un pago que ya haya enviado no se ve afectado.',
  rejectedTitle: 'No se puede responder a esta solicitud',
  rejectedText: 'Abra de nuevo el enlace de la factura.',
  triesAgain: 'Esta página vuelve a intentarlo por sí sola después de {seconds} segundos.',
  tryNow: 'Intentarlo ahora',
}
