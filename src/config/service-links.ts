/*
 * Kubernetes describes every Service of a namespace to every pod by environment variables, unless `enableServiceLinks` is false. Those
 * of a Service whose name begins with `billhook` begin like settings.
 */

/** `<SERVICE>_SERVICE_HOST`, `<SERVICE>_SERVICE_PORT`, the same port by its name, and `<SERVICE>_PORT_8080_TCP` with its parts. */
const LINK_NAME = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/

/** `<SERVICE>_PORT` may also be the name of a setting. Its value tells them apart. */
const PORT_NAME = /_PORT$/
const PORT_VALUE = /^(?:tcp|udp|sctp):\/\/\S+:\d+$/

/** Whether Kubernetes set the variable, by its name and value. */
export function isServiceLink(name: string, value: string): boolean {
  return LINK_NAME.test(name) || (PORT_NAME.test(name) && PORT_VALUE.test(value))
}
