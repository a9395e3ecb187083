import { readNumber } from './question'

/** What a request for code is about. */
type Task = 'add' | 'hello' | 'fibonacci' | 'group' | 'unique'

type Snippets = { readonly pattern: RegExp; readonly fence: string } & { readonly [T in Task]?: string }

const tasks: readonly (readonly [RegExp, Task])[] = [
  [/hello,? world|xin chào thế giới/i, 'hello'],
  [/fibonacci/i, 'fibonacci'],
  [/\bgroup(?:s|ed|ing)?\b|(?<!\p{L})(?:nhóm|gom)(?!\p{L})/iu, 'group'],
  [/\b(?:duplicates?|unique|distinct)\b|(?<!\p{L})(?:trùng|duy nhất)(?!\p{L})/iu, 'unique'],
]

const languages: readonly Snippets[] = [
  {
    pattern: /\bpython\b/i,
    fence: 'python',
    add: 'def add(a: int, b: int) -> int:\n    return a + b',
    hello: 'print("Hello, world!")',
    fibonacci:
      'def fibonacci(n: int) -> int:\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a',
    group:
      'def group_by(items, key):\n    groups = {}\n    for item in items:\n        groups.setdefault(key(item), []).append(item)\n    return groups',
    unique: 'def unique(items):\n    return list(dict.fromkeys(items))',
  },
  {
    pattern: /\brust\b/i,
    fence: 'rust',
    add: 'fn add(a: i64, b: i64) -> i64 {\n    a + b\n}',
    hello: 'fn main() {\n    println!("Hello, world!");\n}',
    fibonacci:
      'fn fibonacci(n: u32) -> u64 {\n    let (mut a, mut b) = (0, 1);\n    for _ in 0..n {\n        (a, b) = (b, a + b);\n    }\n    a\n}',
  },
  {
    pattern: /\b(go|golang)\b/i,
    fence: 'go',
    add: 'func add(a, b int) int {\n\treturn a + b\n}',
    hello: 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("Hello, world!")\n}',
    fibonacci:
      'func fibonacci(n int) int {\n\ta, b := 0, 1\n\tfor i := 0; i < n; i++ {\n\t\ta, b = b, a+b\n\t}\n\treturn a\n}',
  },
  {
    pattern: /\b(bash|shell)\b/i,
    fence: 'bash',
    add: 'add() {\n  echo "$(($1 + $2))"\n}',
    hello: 'echo "Hello, world!"',
  },
  {
    pattern: /\bsql\b/i,
    fence: 'sql',
    add: 'SELECT a + b AS total\nFROM pairs;',
    hello: "SELECT 'Hello, world!';",
    group: 'SELECT customer, COUNT(*) AS orders\nFROM orders\nGROUP BY customer;',
    unique: 'SELECT DISTINCT customer\nFROM orders;',
  },
  {
    pattern: /\b(javascript|js)\b/i,
    fence: 'js',
    add: 'export function add(a, b) {\n  return a + b\n}',
    hello: "console.log('Hello, world!')",
    fibonacci:
      'export function fibonacci(n) {\n  let [a, b] = [0, 1]\n  for (let i = 0; i < n; i += 1) [a, b] = [b, a + b]\n  return a\n}',
    group:
      'export function groupBy(items, keyOf) {\n  const groups = new Map()\n  for (const item of items) {\n    const key = keyOf(item)\n    groups.set(key, [...(groups.get(key) ?? []), item])\n  }\n  return groups\n}',
    unique: 'export function unique(items) {\n  return [...new Set(items)]\n}',
  },
  {
    pattern: /\bjava\b/i,
    fence: 'java',
    add: 'static int add(int a, int b) {\n    return a + b;\n}',
    hello:
      'class Main {\n    public static void main(String[] args) {\n        System.out.println("Hello, world!");\n    }\n}',
  },
  {
    pattern: /\bhtml\b/i,
    fence: 'html',
    add: '<label>Total <output>5</output></label>',
    hello: '<!doctype html>\n<title>Hello</title>\n<h1>Hello, world!</h1>',
  },
  {
    pattern: /\b(docker|dockerfile)\b/i,
    fence: 'dockerfile',
    add: 'FROM node:22-slim\nCOPY . /app\nEXPOSE 8080\nCMD ["node", "/app/server.js"]',
    hello: 'FROM busybox\nCMD ["echo", "Hello, world!"]',
  },
]

const typescript: Snippets = {
  pattern: /\btypescript\b/i,
  fence: 'ts',
  add: 'export function add(a: number, b: number): number {\n  return a + b\n}',
  hello: "console.log('Hello, world!')",
  fibonacci:
    'export function fibonacci(n: number): number {\n  let [a, b] = [0, 1]\n  for (let i = 0; i < n; i += 1) [a, b] = [b, a + b]\n  return a\n}',
  group:
    'export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {\n  const groups = new Map<K, T[]>()\n  for (const item of items) {\n    const key = keyOf(item)\n    groups.set(key, [...(groups.get(key) ?? []), item])\n  }\n  return groups\n}',
  unique: 'export function unique<T>(items: readonly T[]): T[] {\n  return [...new Set(items)]\n}',
}

/** A fenced code block in the language that the request names; TypeScript when it names none, or none that has the task. */
export function codeBlock(request: string): string {
  const task = tasks.find(([word]) => word.test(request))?.[1] ?? 'add'
  const named = languages.find(({ pattern }) => pattern.test(request))
  const { fence, [task]: text } = named?.[task] === undefined ? typescript : named
  return `\`\`\`${fence}\n${text}\n\`\`\``
}

const people = ['An Nguyễn', 'Bình Trần', 'Chi Lê', 'Dũng Phạm', 'Hà Võ', 'Khoa Đỗ', 'Linh Bùi', 'Minh Hoàng']
const cities = ['Hà Nội', 'Đà Nẵng', 'Huế', 'Cần Thơ', 'Đà Lạt', 'Nha Trang', 'Hội An', 'Vũng Tàu']
const goods = [
  'Bamboo lamp',
  'Rice bowl',
  'Silk scarf',
  'Coffee filter',
  'Notebook',
  'Wind chime',
  'Tea set',
  'Umbrella',
]

const from = (list: readonly string[], index: number): string => list[index % list.length] ?? ''
const day = (index: number): string =>
  `2026-${String((index % 12) + 1).padStart(2, '0')}-${String((index % 27) + 1).padStart(2, '0')}`

/** Believable values, by the name of the field. */
const samples: readonly (readonly [RegExp, (index: number) => unknown])[] = [
  [/e-?mail/, (index) => `user${index + 1}@example.com`],
  [/phone|điện thoại/, (index) => `+84 90 000 ${String(1000 + index).slice(-4)}`],
  [/\burl|website|link/, (index) => `https://example.com/${index + 1}`],
  [/^id$|_id$|mã/, (index) => index + 1],
  [/product|item|sản phẩm/, (index) => from(goods, index)],
  [/\b(?:price|cost|amount|total|salary)|giá|lương|tiền/, (index) => 45_000 + ((index * 37) % 20) * 5_000],
  [/\bage\b|tuổi/, (index) => 24 + ((index * 7) % 40)],
  [/count|quantity|stock|number|score|số lượng|điểm/, (index) => 3 + ((index * 11) % 50)],
  [/city|address|location|thành phố|địa chỉ/, (index) => from(cities, index)],
  [/country|quốc gia/, () => 'Việt Nam'],
  [/date|birthday|created|updated|ngày/, day],
  [/^(?:is|has)[_ A-Z]?|active|enabled|done|available/, (index) => index % 3 !== 2],
  [
    /tags|list|hobbies|skills|sở thích|kỹ năng/,
    (index) =>
      [
        ['music', 'travel'],
        ['code', 'chess'],
        ['tea', 'hiking'],
      ][index % 3],
  ],
  [/colou?r|màu/, (index) => from(['teal', 'amber', 'indigo', 'coral'], index)],
  [/status|trạng thái/, (index) => from(['active', 'paused', 'done'], index)],
  [/job|role|occupation|nghề/, (index) => from(['engineer', 'designer', 'teacher', 'nurse'], index)],
  [/name|author|user|tên/, (index) => from(people, index)],
  [
    /title|subject|tiêu đề/,
    (index) => from(['A short practice answer', 'Notes from the sandbox', 'A quiet morning'], index),
  ],
]

const mostFields = 12
const separator = /\s*(?:,|;|&|(?<!\p{L})(?:and|và|or|plus)(?!\p{L}))\s*/u

/** A believable value for a field, another one for each row. */
export function sample(field: string, index: number): unknown {
  const known = samples.find(([pattern]) => pattern.test(field.toLowerCase()))
  return known ? known[1](index) : `${field} ${index + 1}`
}

/** The names of fields that a request lists after a word such as `with` or `columns`; none when it lists none. */
export function readFields(request: string): readonly string[] {
  const list =
    /(?:\bjson(?: only)?(?=:)|\bjson(?: object)? of|\b(?:columns?|fields?|keys?|properties|containing|with)|(?<!\p{L})(?:các cột|cột|các trường|trường|gồm|chứa|với|có))(?!\p{L})(?! \d| (?:\p{L}+ )?json)(?:\s+(?:the|a|an|columns?|fields?|keys?|single|các|cột|trường)(?!\p{L}))*:?\s+([^\n.?!]{1,200})/iu.exec(
      request,
    )?.[1] ?? ''
  return list
    .replace(/\s+(?:fields?|columns?|keys?|in it|only|please|for|about|with|cho|về)(?!\p{L}).*$/iu, '')
    .split(separator)
    .map((field) => field.replace(/^(?:an?|the|their|his|her|its)\s+|["'`“”‘’]/gi, '').trim())
    .filter((field) => /^[\p{L}_][\p{L}\p{N}_ -]{0,30}$/u.test(field) && Number.isNaN(readNumber(field)))
    .slice(0, mostFields)
}
