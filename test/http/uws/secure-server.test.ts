import { testHttpsServer } from '../../contract/https-server.js'
import { testCertificate } from '../../support/certificates.js'
import { testUws } from './engine-tests.js'

testUws('the HTTPS front on uWebSockets.js', testCertificate(), testHttpsServer)
