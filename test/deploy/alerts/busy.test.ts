import { busyPlays } from './busy-plays.js'
import { playAll } from './play.js'

playAll('a busy machine', busyPlays)
