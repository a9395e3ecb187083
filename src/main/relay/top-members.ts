const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * The members of these names at the top of a JSON object, each as the text of its value: without reading what is in the
 * others, and of a text that breaks off as far as it goes. Stops when all were found.
 */
export function topMembers(json: Buffer, names: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  let at = skipSpace(json, 0)
  if (json[at] !== openBrace) return found
  do {
    at = skipSpace(json, at + 1)
    const nameEnd = json[at] === quote ? endOfString(json, at) : -1
    if (nameEnd < 0) return found
    const name = json.toString('latin1', at + 1, nameEnd - 1)
    at = skipSpace(json, nameEnd)
    if (json[at] !== colon) return found
    const start = skipSpace(json, at + 1)
    const end = endOfValue(json, start)
    if (end < 0) return found
    if (names.includes(name)) found.set(name, json.toString('utf8', start, end))
    at = skipSpace(json, end)
  } while (json[at] === comma && found.size < names.length)
  return found
}

/** Where the value that begins here ends; -1 when it does not. */
export function endOfValue(json: Buffer, start: number): number {
  let depth = 0
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === quote) {
      at = endOfString(json, at) - 1
      if (at < 0) return -1
      if (depth === 0) return at + 1
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1
      if (depth < 0) return at
      if (depth === 0) return at + 1
    } else if (depth === 0 && (byte === comma || isSpace(byte))) {
      return at
    }
  }
  return -1
}

function endOfString(json: Buffer, start: number): number {
  let end = json.indexOf(quote, start + 1)
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf(quote, end + 1)
  return end < 0 ? -1 : end + 1
}

function isEscaped(json: Buffer, at: number): boolean {
  let first = at
  while (json[first - 1] === backslash) first -= 1
  return (at - first) % 2 === 1
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

function skipSpace(json: Buffer, from: number): number {
  let at = from
  while (isSpace(json[at])) at += 1
  return at
}
