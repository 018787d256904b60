/** A page that may be open: the path at which it is. */
export type PageName = `pay/${string}` | `order/${string}`

const PAY_PAGE = 'pay/'
const ORDER_PAGE = 'order/'

export function payPage(invoiceId: string): PageName {
  return `${PAY_PAGE}${invoiceId}`
}

export function orderPageName(orderId: string): PageName {
  return `${ORDER_PAGE}${orderId}`
}

/** The order that a page is of; null for the page of an invoice. */
export function orderOfPage(name: PageName): string | null {
  return name.startsWith(ORDER_PAGE) ? name.slice(ORDER_PAGE.length) : null
}

/** The invoice that a page is of. */
export function invoiceOfPage(name: PageName): string {
  return name.slice(PAY_PAGE.length)
}
