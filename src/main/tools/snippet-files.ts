import type { Delivery } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import { Secret } from '../secret'
import { editors } from './editors'
import type { Format, OpenEdit } from './editors/editor'
import type { Json } from './editors/json-value'
import type { ToolEnvironment } from './environment'
import { type Edit, type EditValue, routesOf, type TargetInput, type WrittenTarget } from './target'

/** A settings file as it would be written where there was none. */
export type SnippetFile = {
  readonly path: string
  readonly format: Format
  readonly text: string
  /** True when the text given for the key stands in it. */
  readonly holdsKey: boolean
}

/** How a text for others should get the key, best first: a variable that they set, then a place to put it in. */
const preferred: readonly Delivery[] = ['envFile', 'env', 'plain', 'inTool', 'file', 'helper']

/** Stands for the key until the text for it takes its place; the key itself is never looked at here. */
const standIn = new Secret('key')

/** What a target is asked with for a text that others can use; the key is not in it. Fails with `tool.notWritten`. */
export function inputForOthers(target: WrittenTarget, input: TargetInput): TargetInput {
  const { deliveries, name } = target
  if (!routesOf(target).includes('gateway')) {
    const message = `${name} works through the relay of this machine only, so there is no configuration for another one.`
    throw new AppError('tool.notWritten', message)
  }
  const { gatewayUrl, modelCode, slots, models, contextTokens, variable, helperCommand, helperArgv, keyFile } = input
  const delivery = preferred.find((each) => deliveries.includes(each)) ?? deliveries[0]
  const plan = { gatewayUrl, modelCode, slots, models, contextTokens }
  return { ...plan, delivery, variable, helperCommand, helperArgv, keyFile, key: standIn }
}

/** The files of a tool that hold something of ours, with `keyText` where the key would stand. */
export function snippetFiles(
  { files }: WrittenTarget,
  input: TargetInput,
  { environment, keyText }: { readonly environment: ToolEnvironment; readonly keyText: string },
): SnippetFile[] {
  return files.flatMap(({ path, format, edits }) => {
    const place = path(environment)
    const ours = edits(input, {}, environment)
    if (place === undefined || ours.length === 0) return []
    const text = editors[format].edit('', openWith(ours, keyText))
    return [{ path: place, format, text, holdsKey: ours.some(holdsKey) }]
  })
}

function openWith(edits: readonly Edit[], keyText: string): OpenEdit[] {
  return edits.map((edit) => {
    if ('member' in edit) return edit
    return { ...edit, value: edit.value === undefined ? undefined : withText(edit.value, keyText) }
  })
}

function withText(value: Exclude<EditValue, undefined>, keyText: string): Json {
  if (value instanceof Secret) return keyText
  if (Array.isArray(value)) return value.flatMap((each) => (each === undefined ? [] : [withText(each, keyText)]))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).flatMap(([name, each]) =>
    each === undefined ? [] : [[name, withText(each, keyText)] as const],
  )
  return Object.fromEntries(members)
}

const holdsKey = (edit: Edit): boolean => !('member' in edit) && hasSecret(edit.value)

function hasSecret(value: EditValue): boolean {
  if (value instanceof Secret) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(hasSecret)
}
