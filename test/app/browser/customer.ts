import type { Billhook } from '@billhook/client'
import type { Visitor } from './visitor.js'

/** Pays what a till asks for, or the part of it that is one of so many. Answers the amount. */
export async function paysAtTill(billhook: Billhook, { page }: Visitor, parts = 1n): Promise<string> {
  await page.getByText('The customer scans this code.').waitFor()
  const address = (await page.locator('.code code').textContent()) ?? ''
  const [figure = '', symbol = ''] = ((await page.locator('.code .figure').textContent()) ?? '').split(' ')
  const amount = partOf(figure, parts)
  await billhook.simulateDeposit({ address, amount, currency: symbol === 'ETH' ? 'native' : symbol })
  return amount
}

function partOf(figure: string, parts: bigint): string {
  const [whole = '0', fraction = ''] = figure.split('.')
  const places = fraction.length
  const units = (BigInt(whole + fraction) / parts).toString().padStart(places + 1, '0')
  return places === 0 ? units : `${units.slice(0, -places)}.${units.slice(-places)}`
}
