import { applyEdits, modify } from 'jsonc-parser'
import { expect } from 'vitest'
import { editors } from '../../../../../src/main/tools/editors'
import { type Format, isJsonObject, type Json } from '../../../../../src/main/tools/editors/editor'
import { fixturePath, settingsFile, type TargetCase } from './cases'
import { request, type ToolHarness } from './workshop'

/** Changes each of a tool's files like another program, and checks what must remain after an undo. */
export function editManually(item: TargetCase, harness: ToolHarness): { check: () => void } {
  const changedFiles = item.after.flatMap((file) => {
    const { format } = settingsFile(item.target, file.id)
    const path = fixturePath(item, file, harness)
    const text = harness.read(path)?.toString() ?? ''
    const editedText = addForeignSetting(text, format)
    if (editedText === undefined) return []
    harness.writeFileAt(path, editedText)
    const textBefore = item.before.find(({ id }) => id === file.id)?.bytes.toString() ?? ''
    return [{ path, format, before: textBefore, frame: readFrame(item, file.id) }]
  })
  const check = (): void => {
    for (const { path, format, before, frame } of changedFiles) {
      const remainingSettings = parseSettings(harness.read(path)?.toString() ?? '', format)
      const expectedSettings = parseSettings(before, format)
      const keptSettings = isJsonObject(remainingSettings)
        ? Object.fromEntries(Object.entries(remainingSettings).filter(([name]) => frame.includes(name)))
        : {}
      expect(remainingSettings).toEqual(
        isJsonObject(expectedSettings) ? { ...keptSettings, ...expectedSettings, FOREIGN: 'kept' } : expectedSettings,
      )
    }
  }
  return { check }
}

/**
 * Settings that the tool needs in any configuration. They stay in the file after an undo if another program changed it.
 */
function readFrame({ target }: TargetCase, fileId: string): string[] {
  const input = { ...request, slots: {}, delivery: target.deliveries[0], variable: target.variable }
  const environment = { home: '/home', platform: 'linux', vars: {}, exists: () => false } as const
  const edits = settingsFile(target, fileId).edits(input, {}, environment)
  return edits.flatMap((edit) => (edit.isVolatile && !('element' in edit) && edit.path.length === 1 ? edit.path : []))
}

/** Appends a setting that the app does not own. Undefined if the format has no place for one. */
function addForeignSetting(text: string, format: Format): string | undefined {
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

function parseSettings(text: string, format: Format): Json {
  const parsedDocument = editors[format === 'json' ? 'jsonc' : format].parse(text)
  return parsedDocument.ok ? parsedDocument.value : null
}
