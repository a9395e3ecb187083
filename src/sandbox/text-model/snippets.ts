interface Snippets {
  readonly pattern: RegExp
  readonly fence: string
  readonly add: string
  readonly hello: string
  readonly fibonacci?: string
}

const tasks: readonly (readonly [RegExp, 'hello' | 'fibonacci'])[] = [
  [/hello,? world|xin chào thế giới/i, 'hello'],
  [/fibonacci/i, 'fibonacci'],
]

const languages: readonly Snippets[] = [
  {
    pattern: /\bpython\b/i,
    fence: 'python',
    add: 'def add(a: int, b: int) -> int:\n    return a + b',
    hello: 'print("Hello, world!")',
    fibonacci:
      'def fibonacci(n: int) -> int:\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a',
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
  { pattern: /\bsql\b/i, fence: 'sql', add: 'SELECT a + b AS total\nFROM pairs;', hello: "SELECT 'Hello, world!';" },
  {
    pattern: /\b(javascript|js)\b/i,
    fence: 'js',
    add: 'export function add(a, b) {\n  return a + b\n}',
    hello: "console.log('Hello, world!')",
    fibonacci:
      'export function fibonacci(n) {\n  let [a, b] = [0, 1]\n  for (let i = 0; i < n; i += 1) [a, b] = [b, a + b]\n  return a\n}',
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
}

/** A fenced code block in the language that the request names, TypeScript when it names none. */
export function codeBlock(request: string): string {
  const language = languages.find(({ pattern }) => pattern.test(request)) ?? typescript
  const task = tasks.find(([word]) => word.test(request))?.[1] ?? 'add'
  return `\`\`\`${language.fence}\n${language[task] ?? language.add}\n\`\`\``
}
