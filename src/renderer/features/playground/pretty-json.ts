/** With more, the white space of the lines would be much longer than what they say. */
const deepest = 100

/** Whether JSON is nested so deeply; brackets in its texts are none. */
function isDeep(json: string): boolean {
  let depth = 0
  for (const [bracket] of json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    if (depth > deepest) return true
  }
  return false
}

/** JSON with its lines indented, or the text as it is when it is not JSON, or too deep. */
export function prettyJson(text: string): string {
  if (isDeep(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
