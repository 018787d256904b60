/** The bounds that both HTTP adapters share. */

/** The head of a request, request line included; beyond it the answer is 431. */
export const HEAD_LIMIT_BYTES = 16_384

/** A refused body is read and dropped before the refusal is sent, until it ends, or falls silent for this long, … */
export const REFUSAL_SILENCE_MS = 50

/** … or has gone on for this long; see `RefusalLinger`. */
export const REFUSAL_LINGER_MS = 2_000

/** A stream gives the other requests a turn after this much, however fast its client reads. */
export const STREAM_SLICE_BYTES = 262_144

/** Chunks of a chunked body. A chunk of one byte costs as much as a large one, and the sender six bytes. */
export const BODY_CHUNKS_MAX = 256

/** What arrives is handed to the parser of `node:http` in pieces of this size, so that it can be stopped between two. */
export const PARSER_SLICE_BYTES = 1024
