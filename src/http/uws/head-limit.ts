import { HEAD_LIMIT_BYTES } from '../server.js'

/**
 * The engine reads its limit for the head of a request from the environment, once, when its binary is loaded, and takes
 * 4 KiB otherwise: too little for a browser with cookies. This module must therefore be imported before the engine.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(HEAD_LIMIT_BYTES)
