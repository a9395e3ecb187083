import { Holder } from '@shared/contract/register'
import { cleanName } from '@shared/hidden-characters'

const most = 100

/** What heads a column of names, the best first, and one of kinds, in the languages of the app. */
const nameHeads = ['name', 'họ và tên', 'họ tên', 'tên', 'holder', 'người giữ', 'người nhận', 'email', 'e-mail']
const kindHeads = ['kind', 'type', 'loại']
const kinds: Readonly<Record<string, Holder['kind']>> = {
  person: 'person',
  người: 'person',
  tool: 'tool',
  'công cụ': 'tool',
}

/** The holders in lines or in CSV (comma, semicolon or tab), each once, at most 100; `left`: what was not taken, as it stands there. */
export function readNames(text: string): { holders: Holder[]; left: string[] } {
  const lines = text.split(/\r?\n|\r/).filter((line) => line.trim() !== '')
  const heads = columnsOf(lines[0] ?? '')
  const holders = new Map<string, Holder>()
  const left: string[] = []
  for (const line of heads ? lines.slice(1) : lines) {
    const holder = holderIn(line, heads)
    const known = holder && `${holder.kind} ${holder.name.toLowerCase()}`
    if (!holder || known === undefined || holders.has(known) || holders.size >= most) left.push(clean(line))
    else holders.set(known, holder)
  }
  return { holders: [...holders.values()], left }
}

interface Columns {
  readonly name: number
  readonly kind: number
}

/** The columns that a heading names; undefined when the line is none. */
function columnsOf(line: string): Columns | undefined {
  const cells = cellsOf(line).map((cell) => cell.toLowerCase())
  const name = nameHeads.map((head) => cells.indexOf(head)).find((at) => at >= 0) ?? -1
  return name < 0 ? undefined : { name, kind: cells.findIndex((cell) => kindHeads.includes(cell)) }
}

function holderIn(line: string, columns: Columns | undefined): Holder | undefined {
  const cells = cellsOf(line)
  const second = cells[1]?.toLowerCase() ?? ''
  // Without a heading, a comma may as well be part of a name.
  const isRow = Object.hasOwn(kinds, second) || /^\s*"/.test(line)
  const { name, kind } = columns ?? { name: isRow ? 0 : -1, kind: 1 }
  const wanted = name < 0 ? clean(line) : (cells[name] ?? '')
  const told = cells[kind]?.toLowerCase() ?? ''
  return Holder.safeParse({ name: wanted, kind: Object.hasOwn(kinds, told) ? kinds[told] : 'person' }).data
}

/** The cells of a line; a quoted one may hold separators, and quotes twice. */
function cellsOf(line: string): string[] {
  const cells = [...line.matchAll(/(?:^|[,;\t])(?:[ ]*"((?:[^"]|"")*)"[ ]*(?=$|[,;\t])|([^,;\t]*))/g)]
  return cells.map(([, quoted, bare = '']) => clean(quoted?.replaceAll('""', '"') ?? bare))
}

const clean = (text: string): string => cleanName(text.normalize('NFC'))
