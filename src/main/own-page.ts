/**
 * Whether an address is one of the app's page: the same scheme and host. They are compared part by part, because Node calls the origin
 * of every scheme that it does not know "null", and `data:`, `file:` and `about:blank` as well.
 */
export function isOwnPage(address: string, pageUrl: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host } = new URL(address)
  const own = new URL(pageUrl)
  return protocol === own.protocol && host === own.host
}
