import { Secret } from '../../secret'
import type { Json } from '../editors/json-value'
import type { FoundCredential, TargetInput } from '../target'

/** A setting's text; undefined when it is missing, blank or no text. */
export function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** A key that stands in a file in plain text; undefined when no request could carry it. */
export function plainCredential(value: string | undefined): FoundCredential | undefined {
  if (value === undefined) return undefined
  try {
    return { kind: 'plain', text: new Secret(value) }
  } catch {
    return undefined
  }
}

/** The model code of a slot; the main one's where a target was given none. */
export function slotOf({ slots, modelCode }: Pick<TargetInput, 'slots' | 'modelCode'>, id: string): string {
  return slots[id] ?? modelCode
}
