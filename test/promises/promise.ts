/** Adds the names of this version to those that are promised; a release does it. */
import { promiseNames } from './names.js'

promiseNames()
