/* A verify worker whose file cannot be loaded, as on a machine that has run out of something. */

throw new Error('This worker does not start.')
