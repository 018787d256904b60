import { ledgerPlays } from './ledger-plays.js'
import { playAll } from './play.js'

playAll('the ledger', ledgerPlays)
