import { visit } from 'jsonc-parser'

const SHOWN = '[secret]'

/** Words that make a name a secret's name; `apiKeyHelper` names a command, `tokenFile` a place. */
const secretWords = new Set(
  'key keys apikey apikeys token tokens secret secrets password passwords passwd passphrase pwd pat jwt auth authorization bearer cookie cookies credential credentials'.split(
    ' ',
  ),
)
const harmlessLastWords = new Set('helper command ttl ms file path dir type'.split(' '))

/** Secrets that are known by their form, wherever they stand; the first group stays. */
const secretForms: readonly RegExp[] = [
  /\b((?:bearer|basic)\s+)[\w.~+/=-]{6,}/gi,
  /()\b(?:sk|pk|rk)[-_][\w-]{6,}/g,
  /()\b(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|npm_|hf_|AKIA|ASIA|AIza|ya29\.)[\w-]{8,}/g,
  /()\beyJ[\w-]{8,}\.[\w.-]+/g,
  /([a-z][a-z\d+.-]{0,20}:\/\/)[^\s"'/@?#]+(?=@)/gi,
  /((?:--?|[?&"']|\b)[\w-]{0,64}(?:api[-_]?key|token|secret|passw(?:or)?d|authorization)["']?\s*[=:]\s*["']?)(?!\{|\$|\[secret\]|(?:bearer|basic)\s)[^\s"',;&}\]]+/gi,
]

const reference = /^(?:(?:bearer|basic)\s+)?(?:\{(?:env|file):[^}]*\}|\$\{[^}]*\}|\$[A-Za-z_]\w*|%\w+%)$/i

type Replacement = { readonly start: number; readonly end: number; readonly text: string }

/** A JSON text as it may be shown: values of secret names, and what has the form of a secret anywhere, as `[secret]`. */
export function maskSecrets(text: string): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(bom.length)
  let shown = bom
  let position = 0
  for (const { start, end, text: replacement } of findSecrets(body)) {
    shown += body.slice(position, start) + replacement
    position = end
  }
  return shown + body.slice(position)
}

function findSecrets(text: string): Replacement[] {
  const found: Replacement[] = []
  let flag: string | undefined
  const literal = (value: unknown, span: { start: number; end: number }, path: readonly (string | number)[]): void => {
    const raw = text.slice(span.start, span.end)
    const masked = maskValue({ raw, value, names: namesOf(path, flag) })
    flag = typeof value === 'string' && value.startsWith('-') ? value : undefined
    if (masked !== raw) found.push({ ...span, text: masked })
  }
  visit(
    text,
    {
      onObjectProperty: () => {
        flag = undefined
      },
      onLiteralValue: (...[value, offset, length, , , path]) =>
        literal(value, { start: offset, end: offset + length }, path()),
      onComment: (offset, length) => {
        const raw = text.slice(offset, offset + length)
        found.push({ start: offset, end: offset + length, text: maskForms(raw) })
      },
    },
    { allowTrailingComma: true, allowEmptyContent: true },
  )
  return found.sort((a, b) => a.start - b.start)
}

/** The names that speak for a value: those of its path, or the option before it in a list of arguments. */
function namesOf(path: readonly (string | number)[], flag: string | undefined): string[] {
  const names = path.filter((segment) => typeof segment === 'string')
  return typeof path.at(-1) === 'number' && flag !== undefined ? [...names, flag] : names
}

type Literal = { readonly raw: string; readonly value: unknown; readonly names: readonly string[] }

function maskValue({ raw, value, names }: Literal): string {
  if (typeof value !== 'string') return typeof value === 'number' && names.some(isPasswordName) ? `"${SHOWN}"` : raw
  if (value === '' || reference.test(value)) return raw
  const isHarmless = names.slice(-1).some(isHarmlessName)
  if (names.some(isSecretName) && !isHarmless && !isCount(value, names)) return `"${SHOWN}"`
  const hidden = maskForms(raw)
  return hidden === raw && maskForms(value) !== value ? `"${SHOWN}"` : hidden
}

const maskForms = (text: string): string =>
  secretForms.reduce((left, form) => left.replace(form, (_match, kept: string) => kept + SHOWN), text)

const isSecretName = (name: string): boolean =>
  wordsOf(name).some((word) => secretWords.has(word)) && !isHarmlessName(name)

const isHarmlessName = (name: string): boolean => harmlessLastWords.has(wordsOf(name).at(-1) ?? '')

const isPasswordName = (name: string): boolean => /passw|passphrase|\bpwd\b|secret|\bpin\b/i.test(name)

/** A number of tokens is no token. */
const isCount = (value: string, names: readonly string[]): boolean =>
  /^\d{1,9}$/.test(value) && wordsOf(names.at(-1) ?? '').includes('tokens')

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
}
