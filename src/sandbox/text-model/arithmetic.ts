/** An exact number: a fraction whose lower part is positive. */
interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

const longestExpression = 200
const mostDigits = 100
const decimals = 10

/** Words for signs, in English and Vietnamese. */
const signs: readonly (readonly [RegExp, string])[] = [
  [/(\d)\s*%\s*(?:of|của)\s/g, '$1/100*'],
  [/\b(?:times|multiplied by)\b|(?<!\p{L})nhân(?: với)?(?!\p{L})|[×·]|(?<=[\d)]\s*)x(?=\s*[\d(])/gu, '*'],
  [/\bdivided by\b|(?<!\p{L})chia(?: cho)?(?!\p{L})|÷/gu, '/'],
  [/\bplus\b|(?<!\p{L})cộng(?: với)?(?!\p{L})/gu, '+'],
  [/\bminus\b|(?<!\p{L})trừ(?: đi)?(?!\p{L})|[−–]/gu, '-'],
  [/\bto the power of\b|(?<!\p{L})mũ(?!\p{L})|\*\*/gu, '^'],
  [/\b(?:mod|modulo)\b/g, '%'],
  [/(\d),(?=\d{3}(?!\d))/g, '$1'],
]

const plain = (text: string): string =>
  signs.reduce((rest, [pattern, sign]) => rest.replace(pattern, sign), text.toLowerCase())

function fraction(over: bigint, under: bigint): Fraction {
  if (under === 0n) throw new RangeError('division by zero')
  return under < 0n ? { over: -over, under: -under } : { over, under }
}

function power(base: Fraction, exponent: Fraction): Fraction {
  const size = exponent.over < 0n ? -exponent.over : exponent.over
  const digits = Math.max(base.over.toString().length, base.under.toString().length)
  if (exponent.under !== 1n || Number(size) * digits > mostDigits) throw new SyntaxError('too large')
  const [over, under] = [base.over ** size, base.under ** size]
  return exponent.over < 0n ? fraction(under, over) : fraction(over, under)
}

const operations: Readonly<Record<string, (a: Fraction, b: Fraction) => Fraction>> = {
  '+': (a, b) => fraction(a.over * b.under + b.over * a.under, a.under * b.under),
  '-': (a, b) => fraction(a.over * b.under - b.over * a.under, a.under * b.under),
  '*': (a, b) => fraction(a.over * b.over, a.under * b.under),
  '/': (a, b) => fraction(a.over * b.under, a.under * b.over),
  '%': (a, b) => {
    const [left, right] = [a.over * b.under, b.over * a.under]
    if (right === 0n) throw new RangeError('division by zero')
    return fraction(left % right, a.under * b.under)
  },
  '^': power,
}

const levels = ['+-', '*/%', '^']

/** Reads the signs of a level and what binds more tightly; throws for what is no arithmetic. */
function work(tokens: string[], level = 0): Fraction {
  const signsHere = levels[level]
  if (signsHere === undefined) return operand(tokens)
  let value = work(tokens, level + 1)
  for (let sign = tokens[0]; sign !== undefined && signsHere.includes(sign); sign = tokens[0]) {
    tokens.shift()
    const right = work(tokens, sign === '^' ? level : level + 1)
    value = operations[sign]?.(value, right) ?? value
  }
  return value
}

function operand(tokens: string[]): Fraction {
  const token = tokens.shift()
  if (token === '-') {
    const { over, under } = work(tokens, 2)
    return { over: -over, under }
  }
  if (token === '(') {
    const value = work(tokens)
    if (tokens.shift() !== ')') throw new SyntaxError('an open bracket')
    return value
  }
  const [, whole = '', part = ''] = /^(\d+)(?:\.(\d+))?$/.exec(token ?? '') ?? []
  if (whole === '') throw new SyntaxError('no number')
  return { over: BigInt(whole + part), under: 10n ** BigInt(part.length) }
}

/** The number with at most ten digits after the point. */
function write({ over, under }: Fraction): string {
  const scale = 10n ** BigInt(decimals)
  const size = over < 0n ? -over : over
  const scaled = (size * scale * 2n + under) / (under * 2n)
  const part = (scaled % scale).toString().padStart(decimals, '0').replace(/0+$/, '')
  const sign = over < 0n && scaled > 0n ? '-' : ''
  return `${sign}${scaled / scale}${part === '' ? '' : `.${part}`}`
}

/** Works out `+ - * / % ^` and brackets, also in words (`17 times 23`), exactly; `undefined` for what is no arithmetic. */
export function calculate(expression: string): { sum: string; result: string | undefined } | undefined {
  if (expression.length > longestExpression) return undefined
  const text = plain(expression).replaceAll(/\s+/g, ' ').trim()
  if (/^\d{4}-\d\d?-\d\d?$/.test(text)) return undefined
  if (!/^[\d\s.+*/%^()-]+$/.test(text) || !/[\d)]\s*[+*/%^-]/.test(text)) return undefined
  const tokens = text.match(/\d+(?:\.\d+)?|[-+*/%^()]|\S/g) ?? []
  const sum = tokens
    .join(' ')
    .replaceAll('( ', '(')
    .replaceAll(' )', ')')
    .replace(/(^|\()- /g, '$1-')
    .replaceAll('*', '×')
    .replaceAll('/', '÷')
  try {
    const value = work(tokens)
    return tokens.length === 0 ? { sum, result: write(value) } : undefined
  } catch (cause) {
    return cause instanceof RangeError ? { sum, result: undefined } : undefined
  }
}
