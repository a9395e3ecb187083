import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const folder = resolve(import.meta.dirname, '../../../src/renderer')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
const readText = (file: string): string => readFileSync(join(folder, file), 'utf8')

const sources = files.filter((file) => /\.tsx?$/.test(file)).map((file) => ({ file, text: readText(file) }))
const sheets = files.filter((file) => file.endsWith('.module.css'))
const classesBySheet = new Map(sheets.map((sheet) => [sheet, listClassNames(readText(sheet))]))
const imports = sources.flatMap(listImports)

/** Class names that a style sheet defines, without those of libraries. */
function listClassNames(css: string): Set<string> {
  const selectors = css
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/:global\((?:[^()]|\([^()]*\))*\)/g, '')
    .match(/[^{};]+(?=\{)/g)
  return new Set(
    (selectors ?? []).flatMap((selector) => [...selector.matchAll(/\.([a-z_][\w-]*)/gi)].map(([, name]) => `${name}`)),
  )
}

/** CSS modules that a file imports, with the class names and dynamic lookups that it uses. */
function listImports({ file, text }: { readonly file: string; readonly text: string }) {
  const code = text.replaceAll(/^import .*$/gm, '')
  return [...text.matchAll(/^import (\w+) from '(\S+\.module\.css)'$/gm)].map(([, variable, path]) => ({
    file,
    sheet: join(dirname(file), `${path}`),
    named: [...code.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, 'g'))].map(([, name]) => `${name}`),
    lookups: [...code.matchAll(new RegExp(`\\b${variable}\\[([^\\]]+)\\]`, 'g'))].map(([, key]) => `${key}`),
  }))
}

/** Whether a lookup such as styles[tone] or styles[`is-${state}`] can match a class, given the words in the code. */
function matchesLookup(lookup: string, name: string): boolean {
  const template = /^`(.*)`$/.exec(lookup)?.[1] ?? `\${${lookup}}`
  const pattern = template.split(/\$\{[^}]+\}/).join('([\\w-]+)')
  const word = new RegExp(`^${pattern}$`).exec(name)?.[1]
  return word !== undefined && texts.has(word)
}

const texts = new Set(sources.flatMap(({ text }) => text.match(/(?<=')[\w-]+(?=')|\b\w+(?=:)/g) ?? []))

describe('style sheets of the window', () => {
  it('are all imported', () => {
    expect(
      [...classesBySheet.keys()].filter((sheet) => !imports.some((sheetImport) => sheetImport.sheet === sheet)),
    ).toEqual([])
  })

  it('define every class that is used', () => {
    const missingClasses = imports.flatMap(({ file, sheet, named }) =>
      named.filter((name) => !classesBySheet.get(sheet)?.has(name)).map((name) => `${file}: ${sheet} .${name}`),
    )
    expect(missingClasses).toEqual([])
  })

  it('define no unused class', () => {
    const unusedClasses = [...classesBySheet].flatMap(([sheet, classes]) => {
      const users = imports.filter((sheetImport) => sheetImport.sheet === sheet)
      const isUsed = (name: string): boolean =>
        users.some(
          ({ named, lookups }) => named.includes(name) || lookups.some((lookup) => matchesLookup(lookup, name)),
        )
      return [...classes].filter((name) => !isUsed(name)).map((name) => `${sheet} .${name}`)
    })
    expect(unusedClasses).toEqual([])
  })
})
