import { HEAD_LIMIT_BYTES } from '../server.js'

/**
 * The engine reads its limit for the head of a request from the environment once, when its binary is loaded. The
 * default of 4 KiB is too little for a browser with cookies. Import this module before the engine.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(HEAD_LIMIT_BYTES)
