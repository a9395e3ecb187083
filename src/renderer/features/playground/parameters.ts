import type { PlaygroundParameters, Standard } from '@shared/contract'

type NumberName = 'temperature' | 'topP' | 'topK' | 'maxTokens' | 'seed' | 'presencePenalty' | 'frequencyPenalty'
type JsonName = 'tools' | 'extra'

/** A parameter that is a number, what it may be, and which standards know it. */
export interface NumberParameter {
  readonly name: NumberName
  readonly min?: number
  readonly max?: number
  readonly isWhole?: boolean
  readonly standards: readonly Standard[]
}

const both = ['chat-completions', 'messages'] as const
const chatOnly = ['chat-completions'] as const

/** The parameters that are numbers, in the order they are shown. */
export const numberParameters: readonly NumberParameter[] = [
  { name: 'temperature', min: 0, max: 2, standards: both },
  { name: 'maxTokens', min: 1, max: 10_000_000, isWhole: true, standards: both },
  { name: 'topP', min: 0, max: 1, standards: both },
  { name: 'topK', min: 1, max: 1000, isWhole: true, standards: both },
  { name: 'seed', isWhole: true, standards: chatOnly },
  { name: 'presencePenalty', min: -2, max: 2, standards: chatOnly },
  { name: 'frequencyPenalty', min: -2, max: 2, standards: chatOnly },
]

/** A typed number: absent when nothing is typed, `invalid` when it cannot be sent. A comma is a decimal mark too. */
export function readNumber(
  text: string,
  { min, max, isWhole = false }: NumberParameter,
): number | undefined | 'invalid' {
  const trimmed = text.trim().replace(',', '.')
  if (trimmed === '') return undefined
  const value = Number(trimmed)
  const fits =
    Number.isFinite(value) &&
    (!isWhole || Number.isSafeInteger(value)) &&
    (min === undefined || value >= min) &&
    (max === undefined || value <= max)
  return fits ? value : 'invalid'
}

/** What is wrong with a text of JSON: it cannot be read, or is not of the shape that is sent; nothing when it is right or empty. */
export function jsonTrouble(
  name: JsonName,
  text: string | undefined,
): 'unreadable' | 'notArray' | 'notObject' | undefined {
  if (text === undefined || text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'unreadable'
  }
  if (name === 'tools') return Array.isArray(value) ? undefined : 'notArray'
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'notObject'
}

/** Whether these parameters can be sent. */
export const isSendable = ({ tools, extra }: PlaygroundParameters): boolean =>
  jsonTrouble('tools', tools) === undefined && jsonTrouble('extra', extra) === undefined

/** The parameters with one of them set, or taken out when `value` is absent. */
export function withParameter<N extends keyof PlaygroundParameters>(
  parameters: PlaygroundParameters,
  name: N,
  value: PlaygroundParameters[N],
): PlaygroundParameters {
  const { [name]: _, ...rest } = parameters
  return value === undefined ? rest : { ...rest, [name]: value }
}

/** How many parameters are set, and so sent. */
export const countSet = (parameters: PlaygroundParameters): number =>
  Object.values(parameters).filter((value) => value !== undefined).length

/** Texts that end an answer, one a line. */
export function readStops(text: string): string[] | undefined {
  const stops = text.split('\n').filter((line) => line !== '')
  return stops.length === 0 ? undefined : stops.slice(0, 8)
}
