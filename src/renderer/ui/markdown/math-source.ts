const longest = 2_000

interface Step {
  readonly text: string
  readonly end: number
}

/** Where a mark stands next in the same paragraph, or -1. */
function nextInParagraph(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from)
  if (at < 0 || at - from > longest) return -1
  return /\n[ \t]*\n/.test(source.slice(from, at)) ? -1 : at
}

/** Code in backticks as it is; a fence that is not closed yet goes to the end. */
function code(source: string, at: number): Step {
  const run = /^`+/.exec(source.slice(at))?.[0] ?? '`'
  for (let from = at + run.length; ; ) {
    const found = source.indexOf(run, from)
    if (found < 0) break
    const end = found + (/^`+/.exec(source.slice(found))?.[0].length ?? 0)
    if (end - found === run.length) return { text: source.slice(at, end), end }
    from = end
  }
  return run.length >= 3 ? { text: source.slice(at), end: source.length } : { text: run, end: at + run.length }
}

/** `\(x\)` and `\[x\]` as the dollars that mean the same; other escapes as they are. */
function escaped(source: string, at: number): Step {
  const pair = source.slice(at, at + 2)
  const ways: Readonly<Record<string, readonly [string, string]>> = { '\\(': ['\\)', '$'], '\\[': ['\\]', '$$'] }
  const [close, mark] = ways[pair] ?? []
  const end = close === undefined ? -1 : nextInParagraph(source, close, at + 2)
  const inside = source.slice(at + 2, end).trim()
  if (mark === undefined || end < 0 || inside === '' || /[$`]/.test(inside)) return { text: pair, end: at + 2 }
  return { text: mark + inside + mark, end: end + 2 }
}

/** A formula in dollars as it is. A dollar before a space, or whose partner follows one or stands before a digit, is money. */
function dollars(source: string, at: number): Step {
  if (source.startsWith('$$', at)) {
    const end = nextInParagraph(source, '$$', at + 2)
    return end < 0 ? { text: '\\$\\$', end: at + 2 } : { text: source.slice(at, end + 2), end: end + 2 }
  }
  const end = nextInParagraph(source, '$', at + 1)
  const inside = source.slice(at + 1, Math.max(at + 1, end))
  const isFormula = end > at + 1 && !/^\s|[\s\\]$/.test(inside) && !/\d/.test(source.charAt(end + 1))
  return isFormula ? { text: `$${inside}$`, end: end + 1 } : { text: '\\$', end: at + 1 }
}

const readers: Readonly<Record<string, (source: string, at: number) => Step>> = {
  '\\': escaped,
  '`': code,
  $: dollars,
}

/** Markdown in which every dollar that begins no formula is escaped, and `\(…\)`, `\[…\]` are written with dollars. */
export function withDollarMath(source: string): string {
  if (!/[$]|\\[([]/.test(source) || source.startsWith('    ')) return source
  const parts: string[] = []
  let at = 0
  while (at < source.length) {
    const next = /[\\`$]/.exec(source.slice(at))
    if (!next) break
    const start = at + next.index
    const step = readers[next[0]]?.(source, start)
    if (!step) break
    parts.push(source.slice(at, start), step.text)
    at = step.end
  }
  return parts.join('') + source.slice(at)
}
