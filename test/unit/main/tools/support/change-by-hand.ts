import { applyEdits, modify } from 'jsonc-parser'
import { expect } from 'vitest'
import { editors } from '../../../../../src/main/tools/editors'
import { type Format, isJsonObject, type Json } from '../../../../../src/main/tools/editors/editor'
import { type Case, fixturePath, settingsFile } from './cases'
import { request, type Workshop } from './workshop'

/** Changes each of a tool's files like another program, and checks what must remain after an undo. */
export function changeByHand(item: Case, workshop: Workshop): { check: () => void } {
  const changed = item.after.flatMap((file) => {
    const { format } = settingsFile(item.target, file.id)
    const path = fixturePath(item, file, workshop)
    const text = workshop.read(path)?.toString() ?? ''
    const added = withForeign(text, format)
    if (added === undefined) return []
    workshop.writeFileAt(path, added)
    const before = item.before.find(({ id }) => id === file.id)?.bytes.toString() ?? ''
    return [{ path, format, before, frame: readFrame(item, file.id) }]
  })
  const check = (): void => {
    for (const { path, format, before, frame } of changed) {
      const left = settingsIn(workshop.read(path)?.toString() ?? '', format)
      const expected = settingsIn(before, format)
      const stays = isJsonObject(left)
        ? Object.fromEntries(Object.entries(left).filter(([name]) => frame.includes(name)))
        : {}
      expect(left).toEqual(isJsonObject(expected) ? { ...stays, ...expected, FOREIGN: 'kept' } : expected)
    }
  }
  return { check }
}

/** Settings that a tool's file requires. They stay for other programs. */
function readFrame({ target }: Case, fileId: string): string[] {
  const input = { ...request, slots: {}, delivery: target.deliveries[0], variable: target.variable }
  const environment = { home: '/home', platform: 'linux', vars: {}, exists: () => false } as const
  const edits = settingsFile(target, fileId).edits(input, {}, environment)
  return edits.flatMap((edit) => (edit.isVolatile && !('element' in edit) && edit.path.length === 1 ? edit.path : []))
}

/** Appends a foreign setting. Returns undefined where the format has no place for one. */
function withForeign(text: string, format: Format): string | undefined {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(bom.length)
  switch (format) {
    case 'json':
    case 'jsonc':
      if (body.trimStart().startsWith('[')) return undefined
      return (
        bom +
        applyEdits(body, modify(body, ['FOREIGN'], 'kept', { formattingOptions: { insertSpaces: true, tabSize: 2 } }))
      )
    case 'yaml':
      return `${text}${text.endsWith('\n') ? '' : '\n'}FOREIGN: kept\n`
    case 'dotenv':
      return `${text}${text.endsWith('\n') ? '' : '\n'}FOREIGN=kept\n`
    case 'toml':
      return `${bom}FOREIGN = "kept"\n${body}`
    case 'text':
      return undefined
  }
}

function settingsIn(text: string, format: Format): Json {
  const parsed = editors[format === 'json' ? 'jsonc' : format].parse(text)
  return parsed.ok ? parsed.value : null
}
