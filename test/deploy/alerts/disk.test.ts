import { diskPlays } from './disk-plays.js'
import { playAll } from './play.js'

playAll('a disk', diskPlays)
