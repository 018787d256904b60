import { openData } from '../../../src/store/lmdb/file/open-data.js'

/*
 * Opens the data of a directory as a user:
 *
 *     open-as-user.js <directory> <user> written|only-read
 *
 * Sends that it has, or why it could not.
 */

const [directory = '', user = '', access = ''] = process.argv.slice(2)
process.setgroups?.([])
process.setgid?.(Number(user))
process.setuid?.(Number(user))
try {
  await openData(directory, access === 'written' ? 'written' : 'only read', null).close()
  process.send?.({ opened: true })
} catch (error) {
  process.send?.({ name: (error as Error).name, message: (error as Error).message })
}
