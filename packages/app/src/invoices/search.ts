/** Whether an order number begins with what somebody looks for, in either case. */
export function startsWith(orderNumber: string | null, beginning: string): boolean {
  return (orderNumber ?? '').toLowerCase().startsWith(beginning.trim().toLowerCase())
}
