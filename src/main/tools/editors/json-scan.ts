const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const SPACE = 32
const QUOTE = 34
const BACKSLASH = 92
const TAB = 9

/** Where the white space of JSON that begins at this offset ends. */
export function blanksEnd(text: string, offset: number): number {
  let at = offset
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return at
    at += 1
  }
}

/** Where the comment that begins at this offset ends; undefined when none does, or when it is cut off. */
export function commentEnd(text: string, offset: number): number | undefined {
  if (text.startsWith('/*', offset)) {
    const end = text.indexOf('*/', offset + 2)
    return end === -1 ? undefined : end + 2
  }
  if (!text.startsWith('//', offset)) return undefined
  let at = offset + 2
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at += 1
  return at
}

/** Where the string whose quote stands at this offset ends; undefined when it is cut off or holds what it may not. */
export function stringEnd(text: string, offset: number): number | undefined {
  for (let at = offset + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code < SPACE) return undefined
    if (code === BACKSLASH) at += 1
  }
  return undefined
}

/** What the string from here to there says; undefined when it holds an escape that is none. */
export function stringValue(text: string, start: number, end: number): string | undefined {
  const inner = text.slice(start + 1, end - 1)
  if (!inner.includes('\\')) return inner
  try {
    return JSON.parse(text.slice(start, end))
  } catch {
    return undefined
  }
}
