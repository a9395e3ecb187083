const schemes: readonly string[] = ['http:', 'https:', 'mailto:']
const longest = 4_000

/** A link's address as it would be opened (host in ASCII), or nothing where it is relative or of another scheme than http, https, mailto. */
export function safeAddress(address: string | undefined): URL | undefined {
  if (address === undefined || address.length > longest || !URL.canParse(address)) return undefined
  const url = new URL(address)
  return schemes.includes(url.protocol) && url.href.length <= longest ? url : undefined
}
