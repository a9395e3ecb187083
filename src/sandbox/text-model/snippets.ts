const typescript = `export function add(a: number, b: number): number {
  return a + b
}`

const snippets: readonly (readonly [RegExp, string, string])[] = [
  [/\bpython\b/i, 'python', 'def add(a: int, b: int) -> int:\n    return a + b'],
  [/\brust\b/i, 'rust', 'fn add(a: i64, b: i64) -> i64 {\n    a + b\n}'],
  [/\b(go|golang)\b/i, 'go', 'func add(a, b int) int {\n\treturn a + b\n}'],
  [/\b(bash|shell)\b/i, 'bash', 'add() {\n  echo "$(($1 + $2))"\n}'],
  [/\bsql\b/i, 'sql', 'SELECT a + b AS total\nFROM pairs;'],
  [/\b(javascript|js)\b/i, 'js', 'export function add(a, b) {\n  return a + b\n}'],
]

/** A fenced code block in the language that the request names, TypeScript when it names none. */
export function codeBlock(request: string): string {
  const [, language, code] = snippets.find(([word]) => word.test(request)) ?? [/ts/, 'ts', typescript]
  return `\`\`\`${language}\n${code}\n\`\`\``
}
