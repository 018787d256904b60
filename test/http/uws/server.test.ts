import { testUws } from './engine-tests.js'

testUws('the HTTP front on uWebSockets.js')
