import { MASKED, maskForms, maskValue } from '../secret-words'
import { type Assignment, readDotenv } from './dotenv-document'

const COMMENTED = /^(\s*#\s*(?:export\s+)?([\w.-]+)\s*[=:]\s*)(\S.*)$/

/** A `.env` text as it may be shown; what means nothing in it is shown only when it is a comment. */
export function maskDotenv(source: string): string {
  const { bom, text, assignments } = readDotenv(source)
  const parts: string[] = [bom]
  let position = 0
  for (const assignment of assignments) {
    parts.push(maskLoose(text.slice(position, assignment.start)), maskAssignment(text, assignment))
    position = assignment.end
  }
  parts.push(maskLoose(text.slice(position)))
  return parts.join('')
}

function maskAssignment(text: string, { name, value, raw, start, end }: Assignment): string {
  const written = text.slice(raw.start, raw.end)
  const lineEnds = written.match(/\r\n|\n|\r/g) ?? []
  const content = maskValue({ raw: written, value, names: [name], whole: MASKED + lineEnds.join('') })
  return text.slice(start, raw.start) + content + maskForms(text.slice(raw.end, end))
}

/** Lines that give nothing a value. */
const maskLoose = (text: string): string => text.replace(/[^\r\n]+/g, maskLine)

function maskLine(line: string): string {
  const [, head, name, rest] = COMMENTED.exec(line) ?? []
  if (head === undefined || name === undefined || rest === undefined) return maskRest(line)
  const value = rest.trimEnd()
  return head + maskValue({ raw: value, value, names: [name], whole: MASKED }) + rest.slice(value.length)
}

const maskRest = (line: string): string =>
  /^\s*(?:#|$)/.test(line) ? maskForms(line) : line.replace(/\S(?:.*\S)?/, MASKED)
