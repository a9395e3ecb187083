/** Parses JSON. Returns undefined for other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Maximum depth to indent. Deeper JSON would be mostly white space. */
const maxDepth = 100

/** Whether JSON is nested too deeply. Ignores brackets inside strings. */
function isDeeplyNested(json: string): boolean {
  let depth = 0
  for (const [bracket] of json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    if (depth > maxDepth) return true
  }
  return false
}

/** Formats JSON with indentation. Returns other text, and JSON that is nested too deeply, unchanged. */
export function prettyJson(text: string): string {
  const value = isDeeplyNested(text) ? undefined : parseJson(text)
  return value === undefined ? text : JSON.stringify(value, undefined, 2)
}
