import { isUndecided } from '../invoices/outbox.js'
import { goTo } from '../routes.js'

/**
 * Goes to what is created, below the place of its list. While there is no answer it goes to the list, which says that it is kept and
 * sent again.
 */
export async function goToCreated(list: '#/invoices' | '#/orders', create: () => Promise<string>): Promise<void> {
  try {
    goTo(`${list}/${await create()}`)
  } catch (error) {
    if (!isUndecided(error)) throw error
    goTo(list)
  }
}
