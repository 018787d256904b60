/** The version of package.json, repeated here so that it also holds in a bundle without that file. A test compares them. */
export const VERSION = '0.1.0'
