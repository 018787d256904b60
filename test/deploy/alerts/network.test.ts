import { networkPlays } from './network-plays.js'
import { playAll } from './play.js'

playAll('networks', networkPlays)
