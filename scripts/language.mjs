/**
 * Checks the language of names, comments and test titles. Old violations are counted in language.json, whose numbers
 * may only shrink. Usage: node scripts/language.mjs [--list] [--update]
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolveFromRoot } from './lib/project.mjs'

const names = /\b(?:const|let|function\*?|class|interface|type)\s+([A-Za-z_$][\w$]*)/g
const comments = /\/\*\*?\s*([\s\S]*?)\*\/|^\s*\/\/\s*(.*)$/gm
const titles = /\b(?:it|test|describe)(?:\.each\([\s\S]{0,2000}?\]\))?\(\s*(['"`])(.*?)\1/g
const stiltedWords =
  /\b(tells?|told|stands?|stood|nobody|somebody|whoever|goes on|went on|under way|by hand|put right|taken? out|lets? go|gives? way|so many|so long|in turn|at once|anew|amid|meanwhile|hence|thereof)\b/i

/** @type {Record<string, (text: string) => string[]>} */
const rules = {
  'name ends in Of, or starts with most, longest, usual or patience': (text) =>
    findMatches(text, names, 1).filter((name) => /[a-z]Of$|^(most|longest|usual|patience)([A-Z]|$)/.test(name)),
  'comment begins with What, Who, That, So or How': (text) =>
    [...findMatches(text, comments, 1), ...findMatches(text, comments, 2)].filter((comment) =>
      /^(What|Who|Whoever|That|So|How|Those)\b/.test(comment),
    ),
  'comment has a stilted word': (text) =>
    [...findMatches(text, comments, 1), ...findMatches(text, comments, 2)].filter((comment) =>
      stiltedWords.test(comment),
    ),
  'test title has a stilted word': (text) => findMatches(text, titles, 2).filter((title) => stiltedWords.test(title)),
}

const options = process.argv.slice(2)
const allowanceFile = resolveFromRoot('scripts/language.json')
const files = ['src', 'scripts', 'test']
  .flatMap((folder) =>
    readdirSync(resolveFromRoot(folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file.replaceAll('\\', '/')}`,
    ),
  )
  .filter((file) => /\.(tsx?|[cm]js)$/.test(file) && !/locales|fixtures|scripts\/language\.mjs/.test(file))
const texts = files.map((file) => /** @type {const} */ ([file, readFileSync(resolveFromRoot(file), 'utf8')]))

/** @type {Record<string, number>} */
const counts = {}
for (const [rule, find] of Object.entries(rules)) {
  const findings = texts.flatMap(([file, text]) =>
    find(text).map((hit) => `${file}: ${hit.replace(/\s+/g, ' ').slice(0, 120)}`),
  )
  counts[rule] = findings.length
  if (options.includes('--list')) console.log(`${rule}\n  ${findings.join('\n  ')}`)
}

if (options.includes('--update')) writeFileSync(allowanceFile, `${JSON.stringify(counts, null, 2)}\n`)
/** @type {Record<string, number>} */
const allowedCounts = JSON.parse(readFileSync(allowanceFile, 'utf8'))
for (const [rule, count] of Object.entries(counts)) {
  if (count <= (allowedCounts[rule] ?? 0)) continue
  console.error(
    `${rule}: ${count}, allowed ${allowedCounts[rule] ?? 0}. Use plain names and comments (CONTRIBUTING.md); --list shows all.`,
  )
  process.exitCode = 1
}

/** @param {string} text @param {RegExp} pattern @param {number} group */
function findMatches(text, pattern, group) {
  return [...text.matchAll(pattern)].flatMap((match) => match[group]?.trim() || [])
}
